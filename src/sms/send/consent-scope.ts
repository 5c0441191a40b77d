import { type RawBuilder, sql } from 'kysely'
import type { ConsentScope } from '../consent/required.ts'
import type { Origin } from './body.ts'

/** The origin of a send that has no other. */
const PLAIN: Origin = { api: 'consent', id: '', data: {} }

/**
 * Keeps in the origin of a send by what the send may require consent, and which groups a person may have
 * left: both hold again when its texts are sent again. A send that names neither has no scope.
 */
export const keepScope = (scope: ConsentScope, { api, id, data }: Origin = PLAIN): Origin => ({
  api,
  id,
  data: { ...data, consent: scope },
})

/** The fields of an offer for a scope. */
export const offeredScope = ({ template, groups, isRequired = false }: ConsentScope) => ({
  template: template || undefined,
  groups: groups.length > 0 ? groups : undefined,
  requiresConsent: isRequired,
})

/** SQL: the scope of the send of message `m`, as JSON; null without one. */
export const KEPT_SCOPE: RawBuilder<string | null> = sql`(
  select (o.data -> 'consent')::text from sms_origins o
  where o.ref in (m.id, m.batch_id) and o.data -> 'consent' is not null limit 1)`

/** Reads KEPT_SCOPE. */
export const readScope = (kept: string | null): ConsentScope | undefined =>
  kept === null ? undefined : (JSON.parse(kept) as ConsentScope)
