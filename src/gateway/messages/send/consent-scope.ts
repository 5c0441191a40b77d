import { type RawBuilder, sql } from 'kysely'
import { callFunction } from '../../../platform/db/call-function.ts'
import type { Db } from '../../../platform/db/open.ts'

/** By what a send may require consent: its template ('' for none), its groups, or by itself. */
export interface ConsentScope {
  readonly template: string
  readonly groups: readonly string[]
  readonly isRequired?: boolean | undefined
}

export const NO_SCOPE: ConsentScope = { template: '', groups: [] }

export const toOfferedScope = ({ template, groups, isRequired = false }: ConsentScope) => ({
  template: template || undefined,
  groups: groups.length > 0 ? groups : undefined,
  requiresConsent: isRequired,
})

/**
 * SQL: the scope of the send of message `m`, as JSON; null without one. It is stored with each send, because
 * it holds again when the texts are sent again, even if its template, groups or campaign were deleted.
 */
export const KEPT_SCOPE: RawBuilder<string | null> = sql`(
  select (o.data -> 'consent')::text from sms_origins o
  where o.ref in (m.id, m.batch_id) and o.data -> 'consent' is not null limit 1)`

export const readScope = (kept: string | null): ConsentScope =>
  kept === null ? NO_SCOPE : (JSON.parse(kept) as ConsentScope)

export const requiresConsent = async (
  db: Db,
  user: string,
  { template, groups, isRequired = false }: ConsentScope,
): Promise<boolean> => isRequired || callFunction(db, 'consent_required', user, template, groups)
