/**
 * The size that makes the statements of a route slower, and which limit bounds that.
 * docs/internals/route-bounds.md lists the bounds of all routes, docs/internals/bounds.md explains their
 * words.
 */
export interface Bound {
  /** The size that the cost grows with. */
  readonly cost: string
  readonly by: string
}

const CONSTANT = 'constant cost'

/** Bounds of many routes. */
export const COMMON_BOUNDS = {
  /** The statements find rows by their keys, as many as the request names. */
  keys: { cost: CONSTANT, by: 'keys' },
  /** The route reads no rows of clients. */
  'no rows': { cost: CONSTANT, by: 'reads no rows of clients' },
  /** For rare work on the whole database. */
  superusers: { cost: 'the database', by: 'only superusers; 30 s' },
  /** The route sends a file, whose row is found by its key. */
  pieces: { cost: 'the size of the file', by: 'keys; pieces of 64 kB' },
} as const satisfies Readonly<Record<string, Bound>>

export type RouteBound = Bound | keyof typeof COMMON_BOUNDS
