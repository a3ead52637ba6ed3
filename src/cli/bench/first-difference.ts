// Finds where two JSON values start to differ, for a message that a person can act on.

/** A path such as `result[3].topics[0]` with both values; undefined if they are equal. The order of members is ignored. */
export function firstDifference(
  theirs: unknown,
  ours: unknown,
  path = '',
): { readonly path: string; readonly theirs: unknown; readonly ours: unknown } | undefined {
  if (Array.isArray(theirs) && Array.isArray(ours)) {
    for (let i = 0; i < Math.max(theirs.length, ours.length); i++) {
      const found = firstDifference(theirs[i], ours[i], `${path}[${i}]`)
      if (found) return found
    }
    return undefined
  }
  if (isObject(theirs) && isObject(ours)) {
    for (const name of new Set([...Object.keys(theirs), ...Object.keys(ours)])) {
      const found = firstDifference(theirs[name], ours[name], path === '' ? name : `${path}.${name}`)
      if (found) return found
    }
    return undefined
  }
  return theirs === ours ? undefined : { path, theirs, ours }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
