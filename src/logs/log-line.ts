/** PocketBase's levels, as far as requests have them. */
export const ERROR = 8
/**
 * In PocketBase requests that went well have INFO, 0. Here they are below the default of `logs.minLevel`: see
 * docs/operations.md, What failed.
 */
export const DEBUG = -4

/** What a request is told to have been: names and codes, no body, no value, no token. */
export interface LogLine {
  readonly atMs: number
  readonly level: number
  readonly message: string
  /** Texts and numbers, and objects of them; keys in the order of their bytes, as PocketBase has them. */
  readonly data: Readonly<Record<string, unknown>>
}
