import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { lockUserSends } from '../base/lock-user-sends.ts'
import type { Permit } from '../base/permissions.ts'
import { auditAct } from '../messages/queue/audit-message-change.ts'
import { type Campaign, type CampaignServices, changeAsRead } from './campaign.ts'
import { makeChunkKey, splitAudience } from './split-audience.ts'

/**
 * Ends a campaign and stores the Idempotency-Keys of all its chunks of recipients, so that no node can store
 * their messages any more. settle-campaign.ts cancels those already stored. False if the campaign has changed
 * since it was read. `permit`: of who cancels it; the server's own end is not audited.
 */
export function endCampaign(
  { store, config }: CampaignServices,
  campaign: Campaign,
  status: 'canceled' | 'failed',
  { error = '', permit }: { readonly error?: string; readonly permit?: Permit } = {},
): Promise<boolean> {
  const keys = splitAudience(campaign, config).map((_, number) => makeChunkKey(campaign, number))
  return store.db.transaction(async (db) => {
    await lockUserSends(db, campaign.user)
    const set = {
      status,
      error,
      // like the files of a canceled MMS, which nobody receives
      attachments: [],
      settled: false,
      ...(permit && { changed_by: permit.sender.sentBy }),
    }
    const isEnded = await changeAsRead(db, campaign, set)
    if (!isEnded) return false
    await reserveChunkKeys(db, campaign.user, keys)
    if (permit) await auditAct(db, permit, 'campaigns', 'cancel', campaign.id)
    return true
  })
}

const reserveChunkKeys = (db: Db, user: string, keys: readonly string[]) =>
  queries(db)
    .insertInto('sms_idempotency')
    .columns(['user', 'key', 'fingerprint', 'answer'])
    .expression((from) =>
      from
        .selectFrom(sql<{ key: string }>`unnest(${keys}::text[])`.as<'taken'>(sql`taken(key)`))
        .select([sql<string>`${user}::text`.as('user'), 'taken.key', sql.lit('').as('fingerprint')])
        .select(sql<string>`'{}'::json`.as('answer')),
    )
    .onConflict((found) => found.doNothing())
    .execute()
