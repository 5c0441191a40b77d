import { isObject } from '../../platform/tools/json.ts'

// Bodies that PocketBase reads: of its routes, and of ours that browsers may send as a form. zod, which reads
// all other bodies, knows neither zero values, values of new collections, nor what an update keeps.

/** The submitted JSON has a value of a wrong type. */
export class ShapeError extends Error {
  override name = 'ShapeError'
}

/** Reads submitted JSON like Go's encoding/json/v2: ignores unknown keys, reads `null` as the zero value. */
export interface Shape<T> {
  readonly zero: () => T
  readonly fresh: () => T
  readonly over: (raw: unknown, old: T, anyCase?: boolean) => T
}

export type ValueOf<S> = S extends Shape<infer T> ? T : never
export type ValuesOf<Shapes> = { [K in keyof Shapes]: ValueOf<Shapes[K]> }

/** Makes a shape. Its value in new collections (`fresh`) is the zero value. */
export const makeShape = <T>(zero: () => T, over: Shape<T>['over']): Shape<T> => ({
  zero,
  fresh: zero,
  over,
})

const makeShapeError = (expected: string, raw: unknown) =>
  new ShapeError(`${expected} expected, got ${JSON.stringify(raw)}`)

const makePlaceShape = <T>(
  zero: () => T,
  accepts: (raw: unknown) => boolean,
  expected: string,
): Shape<T> =>
  makeShape(zero, (raw) => {
    if (raw === null) return zero()
    if (!accepts(raw)) throw makeShapeError(expected, raw)
    return raw as T
  })

const returnNull = () => null
const isText = (raw: unknown) => typeof raw === 'string'
const isFlag = (raw: unknown) => typeof raw === 'boolean'
const isWholeNumber = (raw: unknown) => Number.isInteger(raw) && Math.abs(raw as number) < 2 ** 63
/** Whether the value is a list of texts. An item may be null: Go reads it as an empty text. */
const isTexts = (raw: unknown) =>
  Array.isArray(raw) && raw.every((one) => one === null || isText(one))

export const text = makePlaceShape<string>(() => '', isText, 'text')
export const optionalText = makePlaceShape<string | null>(returnNull, isText, 'text')
export const flag = makePlaceShape<boolean>(() => false, isFlag, 'true or false')
export const optionalFlag = makePlaceShape<boolean | null>(returnNull, isFlag, 'true or false')
export const whole = makePlaceShape<number>(() => 0, isWholeNumber, 'a whole number')
export const optionalNumber = makePlaceShape<number | null>(
  returnNull,
  (raw) => typeof raw === 'number',
  'a number',
)
const someTexts = makePlaceShape<(string | null)[]>(() => [], isTexts, 'a list of texts')
/** Shape of a list of texts. Items that are null become empty texts. */
export const texts = makeShape<string[]>(
  () => [],
  (raw) => someTexts.over(raw, []).map((one) => one ?? ''),
)

/** Shape of an object with any keys. Submitted keys are added to the old ones. */
export const map = makeShape<Record<string, unknown>>(
  () => ({}),
  (raw, old) => (raw === null ? {} : { ...old, ...requireObject(raw) }),
)

export const anything = makeShape<unknown>(returnNull, (raw) => raw)

/** Returns the shape with another value in new collections (`fresh`). */
export const startShapeWith = <T>(shape: Shape<T>, fresh: () => T): Shape<T> => ({
  ...shape,
  fresh,
})

/** Returns `raw` if it is an object. Throws a ShapeError if not. */
export function requireObject(raw: unknown): Record<string, unknown> {
  if (isObject(raw)) return raw
  throw makeShapeError('an object', raw)
}

const foldKey = (key: string) => key.replace(/[-_]/g, '').toLowerCase()

/** Shape of an object with these keys, in this order. */
export function makeObjectShape<T extends object>(
  places: { readonly [K in keyof T]: Shape<T[K]> },
): Shape<T> {
  const keys = Object.keys(places) as (keyof T & string)[]
  const byFolded = new Map(keys.map((key) => [foldKey(key), key]))
  const filled = (part: 'zero' | 'fresh') => () =>
    Object.fromEntries(keys.map((key) => [key, places[key][part]()])) as T
  const keyOf = (name: string, anyCase: boolean) =>
    Object.hasOwn(places, name)
      ? (name as keyof T & string)
      : anyCase
        ? byFolded.get(foldKey(name))
        : undefined
  return {
    zero: filled('zero'),
    fresh: filled('fresh'),
    over(raw, old, anyCase = false) {
      if (raw === null) return filled('zero')()
      const next = { ...old }
      const given = new Set<string>()
      for (const [name, value] of Object.entries(requireObject(raw))) {
        const key = keyOf(name, anyCase)
        if (key === undefined) continue
        if (given.has(key)) throw new ShapeError(`${name} given twice`)
        given.add(key)
        next[key] = places[key].over(value, next[key], anyCase)
      }
      return next
    },
  }
}

/** Shape of an object that is undefined until it is submitted. A submitted `null` removes it. */
export const makeOptionalShape = <T extends object>(one: Shape<T>): Shape<T | undefined> =>
  makeShape<T | undefined>(
    () => undefined,
    (raw, old, anyCase) => (raw === null ? undefined : one.over(raw, old ?? one.fresh(), anyCase)),
  )

/** Shape of a list of objects. A submitted list replaces the old one. */
export const makeListShape = <T extends object>(item: Shape<T>): Shape<T[]> =>
  makeShape<T[]>(
    () => [],
    (raw, _, anyCase) => {
      if (raw === null) return []
      if (!Array.isArray(raw)) throw makeShapeError('a list', raw)
      return raw.map((one) => item.over(one, item.zero(), anyCase))
    },
  )
