import { isObject } from '../tools/json.ts'

/** The submitted JSON has a value of a wrong type. */
export class ShapeError extends Error {
  override name = 'ShapeError'
}

/**
 * How a part of submitted JSON is read. `zero`: default; `fresh`: value in a new collection; `over`: merges
 * into the present one. As in Go's encoding/json: keys ignore case, unknown ones are ignored, objects merged,
 * lists replaced; `null` changes nothing unless nullable.
 */
export interface Shape<T> {
  readonly zero: () => T
  readonly fresh: () => T
  readonly over: (raw: unknown, old: T) => T
}

export type ValueOf<S> = S extends Shape<infer T> ? T : never
export type ValuesOf<Shapes> = { [K in keyof Shapes]: ValueOf<Shapes[K]> }

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
const isWhole = (raw: unknown) => Number.isInteger(raw) && Math.abs(raw as number) < 2 ** 63
/** Go reads null among texts as an empty text. */
const isTexts = (raw: unknown) => Array.isArray(raw) && raw.every((one) => one === null || isText(one))
const toTexts = (raw: readonly (string | null)[]) => raw.map((one) => one ?? '')

export const text = place<string>(() => '', isText, 'text')
export const optionalText = place<string | null>(nothing, isText, 'text')
export const flag = place<boolean>(() => false, isFlag, 'true or false')
export const optionalFlag = place<boolean | null>(nothing, isFlag, 'true or false')
export const whole = place<number>(() => 0, isWhole, 'a whole number')
export const optionalNumber = place<number | null>(nothing, (raw) => typeof raw === 'number', 'a number')
const someTexts = place<(string | null)[] | null>(nothing, isTexts, 'a list of texts')
/** A list of texts; null items become empty texts. */
export const optionalTexts: Shape<string[] | null> = {
  zero: nothing,
  fresh: nothing,
  over(raw, old) {
    const list = someTexts.over(raw, old)
    return list && toTexts(list)
  },
}
/** The same, but empty instead of null. */
export const texts: Shape<string[]> = {
  zero: () => [],
  fresh: () => [],
  over: (raw) => optionalTexts.over(raw, null) ?? [],
}

/** A map of anything; submitted keys are added. */
export const optionalMap: Shape<Record<string, unknown> | null> = {
  zero: nothing,
  fresh: nothing,
  over: (raw, old) => (raw === null ? null : { ...old, ...asObject(raw) }),
}

/** Gives a shape another value for new collections. */
export const startingWith = <T>(shape: Shape<T>, fresh: () => T): Shape<T> => ({ ...shape, fresh })

/** The raw JSON object. Throws a ShapeError. */
export function asObject(raw: unknown): Record<string, unknown> {
  if (isObject(raw)) return raw
  throw new ShapeError(`an object expected, got ${JSON.stringify(raw)}`)
}

/** An object with these keys in this order. */
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

/** A list of objects. Each is merged into the one at the same index, so that hidden values are kept. */
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
