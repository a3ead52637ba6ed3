// What is made of an object once and lives as long as the object does, such as what is known of a view.

/**
 * A function that makes something of an object when it is first asked for, and gives the same from then on. What is
 * undefined is made again.
 */
export function onceFor<Owner extends object, Made>(make: (owner: Owner) => Made): (owner: Owner) => Made {
  const made = new WeakMap<Owner, NonNullable<Made>>()
  return (owner) => {
    const known = made.get(owner)
    if (known !== undefined) return known
    const value = make(owner)
    if (value !== undefined && value !== null) made.set(owner, value)
    return value
  }
}
