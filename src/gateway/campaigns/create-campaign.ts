import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { deriveId, makeRandomId } from '../../platform/tools/random.ts'
import { lockUserSends } from '../base/lock-user-sends.ts'
import type { Media } from '../base/message-files.ts'
import type { Permit } from '../base/permissions.ts'
import { auditAct } from '../messages/queue/audit-message-change.ts'
import {
  findFirstAnswer,
  type Idempotency,
  makeServerKey,
  storeFirstAnswer,
} from '../messages/send/idempotency.ts'
import { makeExpiryError } from '../messages/send/message-expiry.ts'
import type { CampaignServices } from './campaign.ts'
import type { NewCampaign } from './campaign-body.ts'
import { storeCampaignFiles } from './campaign-files.ts'
import { insertCampaign } from './insert-campaign.ts'
import { insertListRows } from './list-rows.ts'
import { type CampaignState, loadCampaignState } from './load-campaign-state.ts'
import { checkQuota, planCampaign } from './plan-campaign.ts'
import { requireCampaignRoom } from './plan-next-run.ts'
import { planReminder } from './plan-reminder-campaign.ts'
import { completeRepeatRule, listTimesFrom } from './repetition.ts'

/**
 * Stores a campaign without its messages. `load` reads its files. For a known Idempotency-Key, returns the
 * key's campaign. Throws 422 if the key's request of the last 24 hours differed.
 */
export async function createCampaign(
  services: CampaignServices,
  permit: Permit,
  wanted: NewCampaign,
  idempotency: Idempotency | null,
  load?: () => Promise<Media>,
): Promise<CampaignState> {
  const { store } = services
  const { user } = permit.sender
  const once = idempotency && { ...idempotency, key: makeServerKey(`new ${idempotency.key}`) }
  const { id, isStored } = once
    ? await findKeyedCampaign(store.db, `campaign:${user} ${idempotency!.key}`)
    : { id: makeRandomId(), isStored: false }
  if (!isStored) await insertPlannedCampaign(services, permit, id, wanted, once, load)
  // another request with the key may have been stored at the same moment
  if (once) await findFirstAnswer(store, permit.sender, once)
  return loadCampaignState(store.db, user, id)
}

/** The campaign that a key has made within 24 hours, or the id of its next one. */
async function findKeyedCampaign(db: Db, name: string): Promise<{ id: string; isStored: boolean }> {
  const id = deriveId(name)
  const stored = await queries(db)
    .selectFrom('campaigns')
    .select([
      'created',
      sql<boolean>`created > pb_text(now() - interval '24 hours')`.as('isRecent'),
    ])
    .where('id', '=', id)
    .executeTakeFirst()
  if (!stored || stored.isRecent) return { id, isStored: stored !== undefined }
  return findKeyedCampaign(db, `${name} ${stored.created}`)
}

async function insertPlannedCampaign(
  services: CampaignServices,
  permit: Permit,
  id: string,
  wanted: NewCampaign,
  once: Idempotency | null,
  load?: () => Promise<Media>,
) {
  const { store, config } = services
  const { user, sentBy: changedBy } = permit.sender
  const { reminder: asked } = wanted
  const plan = asked
    ? await planReminder(services, permit, wanted, asked)
    : { ...(await planCampaign(services, permit, wanted)), reminder: null }
  const { line, text, audience, segments, requiresConsent, withoutConsent, rows, reminder } = plan
  const repeat = wanted.repeat && (await completeRepeatRule(store, user, wanted.repeat))
  if (!repeat) await checkQuota(services, user, audience.length)
  const { name, expiresAt, options } = wanted
  const [scheduledAt] = repeat
    ? await listTimesFrom(user, repeat, wanted.scheduledAt)
    : [wanted.scheduledAt]
  if (expiresAt && expiresAt <= scheduledAt) throw makeExpiryError()
  const media = await load?.()
  const { groupIds: groups, ...people } = wanted.audience
  const row = {
    ...options,
    requiresConsent,
    withoutConsent,
    ...text,
    id,
    user,
    name,
    line,
    groups,
    ...people,
    audience,
    segments,
    repeat,
    reminder,
    rows: rows.length,
    attachments: media?.files.map((file) => file.name) ?? [],
    subject: wanted.subject,
  }
  await store.db.transaction(async (db) => {
    if (repeat || reminder) {
      await lockUserSends(db, user)
      await requireCampaignRoom(db, user)
    }
    const times = { scheduledAt, expiresAt, beginsAt: repeat ? wanted.scheduledAt : '' }
    const whole = { ...row, ...times, runOf: '', error: '', changedBy, madeBy: changedBy }
    if (await insertCampaign(db, whole)) {
      await insertListRows(db, user, id, rows)
      if (media) await storeCampaignFiles(db, config, user, id, media)
    }
    if (once) await storeFirstAnswer({ ...store, db }, user, once, '')
    await auditAct(db, permit, 'campaigns', 'create', id)
  })
}
