import { queries } from '../../platform/db/queries.ts'
import { deriveId, makeRandomId } from '../../platform/tools/random.ts'
import { lockUserSends } from '../base/lock-user-sends.ts'
import type { Permit } from '../base/permissions.ts'
import { auditAct } from '../messages/queue/audit-message-change.ts'
import { makeExpiryError } from '../messages/send/message-expiry.ts'
import type { CampaignServices } from './campaign.ts'
import type { NewCampaign } from './campaign-body.ts'
import { insertCampaign } from './insert-campaign.ts'
import { checkQuota, planCampaign } from './plan-campaign.ts'
import { requireCampaignRoom } from './plan-next-run.ts'
import { type CampaignState, readCampaignState } from './read-campaign-state.ts'
import { completeRepeatRule, listTimesFrom } from './repetition.ts'

/** Stores a campaign without its messages. For a known Idempotency-Key, returns the key's campaign. */
export async function createCampaign(
  services: CampaignServices,
  permit: Permit,
  wanted: NewCampaign,
  key: string | null,
): Promise<CampaignState> {
  const { db } = services.store
  const { user } = permit.sender
  const id = key === null ? makeRandomId() : deriveId(`campaign:${user} ${key}`)
  const stored = await queries(db).selectFrom('campaigns').where('id', '=', id).executeTakeFirst()
  if (!stored) await insertPlannedCampaign(services, permit, id, wanted)
  return readCampaignState(db, user, id)
}

async function insertPlannedCampaign(
  services: CampaignServices,
  permit: Permit,
  id: string,
  wanted: NewCampaign,
) {
  const { store } = services
  const { user, sentBy: changedBy } = permit.sender
  const plan = await planCampaign(services, permit, wanted)
  const { line, text, audience, segments, requiresConsent, withoutConsent } = plan
  const repeat = wanted.repeat && (await completeRepeatRule(store, user, wanted.repeat))
  if (!repeat) await checkQuota(services, user, audience.length)
  const { name, expiresAt, options } = wanted
  const [scheduledAt] = repeat
    ? await listTimesFrom(user, repeat, wanted.scheduledAt)
    : [wanted.scheduledAt]
  if (expiresAt && expiresAt <= scheduledAt) throw makeExpiryError()
  const { groupIds: groups, recipients } = wanted.audience
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
    recipients,
    audience,
    segments,
    repeat,
  }
  await store.db.transaction(async (db) => {
    if (repeat) {
      await lockUserSends(db, user)
      await requireCampaignRoom(db, user)
    }
    await insertCampaign(db, { ...row, scheduledAt, expiresAt, runOf: '', error: '', changedBy })
    await auditAct(db, permit, 'campaigns', 'create', id)
  })
}
