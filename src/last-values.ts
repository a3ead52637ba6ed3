// The values that were set last, for keys of which most are asked for once or for a short while.

/** A fixed number of values. A new one takes the place of the oldest; keys are compared as by `===`. */
export class LastValues<Key, Value> {
  readonly #count: number
  #keys: Key[] = []
  #values: Value[] = []
  #next = 0

  constructor(count: number) {
    this.#count = count
  }

  get(key: Key): Value | undefined {
    const place = this.#keys.indexOf(key)
    return place < 0 ? undefined : this.#values[place]
  }

  set(key: Key, value: Value): void {
    this.#keys[this.#next] = key
    this.#values[this.#next] = value
    this.#next = (this.#next + 1) % this.#count
  }

  clear(): void {
    this.#keys = []
    this.#values = []
    this.#next = 0
  }
}
