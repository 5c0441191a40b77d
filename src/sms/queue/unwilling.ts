import type { Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { queries } from '../../db/queries.ts'
import { type ConsentScope, consentOf } from '../consent/required.ts'
import { readScope } from '../send/consent-scope.ts'
import { optedOut } from '../send/opted-out.ts'
import type { LeftOut } from './retry-body.ts'

/** The recipient of a message of a batch, KEPT_SCOPE of it, and the id of its campaign; '' without one. */
interface Sent {
  readonly to: string
  readonly scope: string | null
  readonly campaign: string
}

/**
 * Finds the recipients of a batch's messages who have opted out, were erased, have left a group of the send,
 * or have not given the consent that the send requires. All messages of a batch are of one send.
 */
export async function findUnwilling(
  store: Store,
  user: string,
  batch: readonly Sent[],
): Promise<ReadonlyMap<string, LeftOut>> {
  const phones = batch.map(({ to }) => to)
  const { scope: kept, campaign } = batch[0] ?? { scope: null, campaign: '' }
  const scope = readScope(kept) ?? (await scopeOfCampaign(store.db, campaign))
  const { missing } = await consentOf(store.db, user, scope, phones)
  const out = await optedOut(store, user, phones, scope.groups)
  return new Map<string, LeftOut>([
    ...[...missing].map((to) => [to, 'no_consent'] as const),
    ...[...out].map((to) => [to, 'opted_out'] as const),
  ])
}

/** The scope of a campaign's messages, which keep none of their own. */
async function scopeOfCampaign(db: Db, id: string): Promise<ConsentScope> {
  const found = await queries(db)
    .selectFrom('campaigns')
    .select(['groups', 'requires_consent as isRequired'])
    .where('id', '=', id)
    .executeTakeFirst()
  return { groups: [], ...found, template: '' }
}
