/** The submitted JSON has a value of a type that its place cannot take. */
export class ShapeError extends Error {
  override name = 'ShapeError'
}

/**
 * How one place of a collection's JSON is read. `zero`: its value when nothing was ever said; `fresh`: its
 * value in a new collection; `over`: a submitted value laid over the present one. As in Go's encoding/json:
 * keys match in any case, unknown ones are ignored, an object is merged, a list replaced, `null` changes
 * nothing unless the place may be null.
 */
export interface Shape<T> {
  readonly zero: () => T
  readonly fresh: () => T
  readonly over: (raw: unknown, old: T) => T
}

function place<T>(zero: () => T, accepts: (raw: unknown) => boolean, expected: string): Shape<T> {
  return {
    zero,
    fresh: zero,
    over(raw, old) {
      if (raw === null) return zero() === null ? zero() : old
      if (!accepts(raw)) throw new ShapeError(`${expected} expected, got ${JSON.stringify(raw)}`)
      return raw as T
    },
  }
}

const nothing = () => null
const isText = (raw: unknown) => typeof raw === 'string'
const isFlag = (raw: unknown) => typeof raw === 'boolean'
/** Of 64 bits. */
const isWhole = (raw: unknown) => Number.isInteger(raw) && Math.abs(raw as number) < 2 ** 63
/** To Go a null among texts is an empty one. */
const isTexts = (raw: unknown) => Array.isArray(raw) && raw.every((one) => one === null || isText(one))
const toTexts = (raw: readonly (string | null)[]) => raw.map((one) => one ?? '')

/** Single values; optional ones may be null. */
export const text = place<string>(() => '', isText, 'text')
export const optionalText = place<string | null>(nothing, isText, 'text')
export const flag = place<boolean>(() => false, isFlag, 'true or false')
export const optionalFlag = place<boolean | null>(nothing, isFlag, 'true or false')
export const whole = place<number>(() => 0, isWhole, 'a whole number')
export const optionalNumber = place<number | null>(nothing, (raw) => typeof raw === 'number', 'a number')
const someTexts = place<(string | null)[] | null>(nothing, isTexts, 'a list of texts')
/** A list of texts; null in it is an empty one. */
export const optionalTexts: Shape<string[] | null> = {
  zero: nothing,
  fresh: nothing,
  over(raw, old) {
    const list = someTexts.over(raw, old)
    return list && toTexts(list)
  },
}
/** The same, empty when it is missing or null. */
export const texts: Shape<string[]> = {
  zero: () => [],
  fresh: () => [],
  over: (raw) => optionalTexts.over(raw, null) ?? [],
}

/** A map of anything: keys are added to those there are. */
export const optionalMap: Shape<Record<string, unknown> | null> = {
  zero: nothing,
  fresh: nothing,
  over: (raw, old) => (raw === null ? null : { ...old, ...asObject(raw) }),
}

/** A place that has a value of its own in a new collection. */
export const startingWith = <T>(shape: Shape<T>, fresh: () => T): Shape<T> => ({ ...shape, fresh })

/** The raw JSON object, or a ShapeError. */
export function asObject(raw: unknown): Record<string, unknown> {
  if (typeof raw === 'object' && raw !== null && !Array.isArray(raw)) return raw as Record<string, unknown>
  throw new ShapeError(`an object expected, got ${JSON.stringify(raw)}`)
}

/** An object with the given keys, in that order. */
export function object<T extends object>(places: { readonly [K in keyof T]: Shape<T[K]> }): Shape<T> {
  const keys = Object.keys(places) as (keyof T & string)[]
  const byLowerCase = new Map(keys.map((key) => [key.toLowerCase(), key]))
  const filled = (part: 'zero' | 'fresh') => () =>
    Object.fromEntries(keys.map((key) => [key, places[key][part]()])) as T
  return {
    zero: filled('zero'),
    fresh: filled('fresh'),
    over(raw, old) {
      if (raw === null) return old
      const next = { ...old }
      for (const [name, value] of Object.entries(asObject(raw))) {
        const key = byLowerCase.get(name.toLowerCase())
        if (key !== undefined) next[key] = places[key].over(value, next[key])
      }
      return next
    },
  }
}

/**
 * A list of objects. Each is laid over the one that stood at its place, so that what no client sees is kept.
 */
export function list<T extends object>(item: Shape<T>): Shape<T[]> {
  return {
    zero: () => [],
    fresh: () => [],
    over(raw, old) {
      if (raw === null) return []
      if (!Array.isArray(raw)) throw new ShapeError(`a list expected, got ${JSON.stringify(raw)}`)
      return raw.map((one, i) => item.over(one, old[i] ?? item.zero()))
    },
  }
}
