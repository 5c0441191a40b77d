import type { z } from 'zod'

interface Types {
  string: string
  number: number
  boolean: boolean
  Date: Date
  Buffer: Buffer
  'string[]': string[]
}

/** A text column with few possible values. */
type OneOf<T> = 'string' & { readonly of?: T }
export const oneOf = <T extends string>() => 'string' as OneOf<T>

/** The columns of a statement by name, `?` for one that may be null. */
export type Columns = Readonly<Record<string, keyof Types | `${keyof Types}?`>>

type ValueOf<C> =
  C extends OneOf<infer T extends string>
    ? T
    : C extends `${infer T extends keyof Types}?`
      ? Types[T] | null
      : C extends keyof Types
        ? Types[C]
        : never

export type Shape = Columns | z.ZodObject

export type RowOf<C extends Shape> = C extends z.ZodObject
  ? z.output<C>
  : { -readonly [K in keyof C]: ValueOf<C[K]> }
