import type { Catalog } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import type { Facts } from './facts.ts'
import type { Scope } from './joined.ts'
import type { Row } from './row.ts'
import type { Joined } from './sql.ts'

/** Rows that a client's filter or sort reaches, and whose listRule has to let them through. */
export type Reached = Map<Joined, Collection>

/** Where names are looked up. */
export interface Context {
  readonly catalog: Catalog
  readonly facts: Facts
  readonly scope: Scope
  readonly base: Row
  /**
   * Set for a client that is no superuser: hidden fields are out of reach, emails only comparable where visible,
   * and what is joined is noted here. Contract 2.9.
   */
  readonly reached: Reached | null
  /** The literals are the client's, so that they differ from request to request. */
  readonly literals: 'client' | readonly (string | number)[]
}

/** The same, for what stands inside a subquery: what it joins is not held against the listRules once more. */
export const inner = (context: Context): Context => ({
  ...context,
  scope: context.scope.inner(),
  reached: context.reached && new Map(),
})
