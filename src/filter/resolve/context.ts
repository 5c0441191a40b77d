import type { Catalog } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import type { Scope } from '../sql/joined.ts'
import type { JoinedRow } from '../sql/sql.ts'
import type { FilterRow } from './row.ts'

/** Rows that a client's filter or sort joins. Their listRules must accept them. */
export type ReachedRows = Map<JoinedRow, Collection>

export interface Context {
  readonly catalog: Catalog
  /** The collection of the caller's record; undefined for a guest. */
  readonly auth: Collection | undefined
  readonly scope: Scope
  readonly base: FilterRow
  /** Set for clients other than superusers: hides fields and collects joined rows. Contract 2.9. */
  readonly reached: ReachedRows | null
  /** The literals belong to a client's filter and differ from request to request. */
  readonly isClient: boolean
}

/** The context inside a subquery, whose joins are not checked against listRules again. */
export const subqueryContext = (context: Context): Context => ({
  ...context,
  scope: context.scope.inner(),
  reached: context.reached && new Map(),
})
