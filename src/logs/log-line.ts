/** Log levels as in PocketBase. */
export const ERROR = 8
/** PocketBase logs successes as INFO, 0. Here they are below `logs.minLevel`: see docs/operations.md. */
export const DEBUG = -4

/** Names and codes of a request; no body, value or token. */
export interface LogLine {
  readonly atMs: number
  readonly level: number
  readonly message: string
  /** Texts, numbers and objects of them; keys in byte order, as in PocketBase. */
  readonly data: Readonly<Record<string, unknown>>
}
