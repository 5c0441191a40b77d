import { badRequest } from '../errors.ts'

/** The value at a path; undefined if there is none. Reads own properties only. */
export const valueAt = (from: unknown, names: readonly string[]): unknown =>
  names.reduce<unknown>((at, name) => {
    const has = typeof at === 'object' && at !== null && Object.hasOwn(at, name)
    return has ? (at as Record<string, unknown>)[name] : undefined
  }, from)

/** The error for a value missing in the body. */
export const missing = (names: readonly string[]) =>
  badRequest(`The body has no ${names.join('.').slice(0, 100) || 'text'}.`)
