import type { Catalog } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import type { Facts } from '../sql/facts.ts'
import type { Scope } from '../sql/joined.ts'
import type { JoinedRow } from '../sql/sql.ts'
import type { FilterRow } from './row.ts'

/** Rows that a client's filter or sort reaches, and whose listRule has to let them through. */
export type ReachedRows = Map<JoinedRow, Collection>

/** Where names are looked up. */
export interface Context {
  readonly catalog: Catalog
  readonly facts: Facts
  readonly scope: Scope
  readonly base: FilterRow
  /**
   * Set for a client that is no superuser: hidden fields are out of reach, emails only comparable where
   * visible, and what is joined is noted here. Contract 2.9.
   */
  readonly reached: ReachedRows | null
  /** The literals are the client's, so that they differ from request to request. */
  readonly literals: 'client' | readonly (string | number)[]
}

/** The same, for what stands inside a subquery: what it joins is not held against the listRules once more. */
export const subqueryContext = (context: Context): Context => ({
  ...context,
  scope: context.scope.inner(),
  reached: context.reached && new Map(),
})
