export const isSameValue = (a: unknown, b: unknown): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b)

/** The members of `now` that differ from those of `stored`. A form saves only these. */
export function pickChangedMembers<T extends object>(stored: T, now: T): Partial<T> {
  const changed = Object.entries(now).filter(
    ([name, value]) => !isSameValue(value, stored[name as keyof T]),
  )
  return Object.fromEntries(changed) as Partial<T>
}

/**
 * Merges a form's value `now` when its stored value changes from `stored` to `fresh`. Members that the user
 * has typed stay, others become those of `fresh`. A value that is no object counts as one member.
 */
export function mergeFreshMembers<T>(stored: T, fresh: T, now: T): T {
  if (isSameValue(stored, now)) return fresh
  if (!hasMembers(stored) || !hasMembers(now)) return now
  return { ...fresh, ...pickChangedMembers(stored, now) }
}

const hasMembers = <T>(value: T): value is T & object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
