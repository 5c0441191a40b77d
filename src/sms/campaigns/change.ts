import { sql } from 'kysely'
import { z } from 'zod'
import type { Db } from '../../db/open.ts'
import { anyOf, queries } from '../../db/queries.ts'
import { formatDate } from '../../fields/date.ts'
import { derivedId, randomId } from '../../tools/random.ts'
import { noteAct } from '../queue/note-change.ts'
import { batchAfter, noneLeftOut, RETRIED_BATCH, type RETRY_BATCH, retryBatch } from '../queue/retry.ts'
import { lockUserSends } from '../send/accept.ts'
import { expiresBeforeDue } from '../send/expiry.ts'
import type { Permit } from '../send/judge.ts'
import { gatewayRefusal, invalid } from '../send/refusals.ts'
import { accountSender } from '../send/sender.ts'
import { updateRecords } from '../status.ts'
import { advance, whenSettled } from './advance.ts'
import { type CampaignChange, completeRepeat, type NewCampaign, timesFrom } from './body.ts'
import {
  CAMPAIGN_STATE,
  type Campaign,
  type CampaignServices,
  type CampaignState,
  type CampaignStatus,
  changeAsRead,
  endCampaign,
  findCampaign,
  isStored,
  readState,
} from './campaign.ts'
import {
  checkQuota,
  checkRoom,
  expiryAt,
  insertCampaign,
  moveOn,
  planAudience,
  planCampaign,
  readText,
} from './plan.ts'

/** A campaign that begins within this time cannot be changed: devices may already get its messages. */
const MARGIN_MS = 2_000

/** Changes a campaign: its name at any time, the rest before it begins. Throws 409 `campaign_begun`. */
export async function changeCampaign(
  services: CampaignServices,
  permit: Permit,
  id: string,
  change: CampaignChange,
): Promise<CampaignState> {
  const { db } = services.store
  const { user, sentBy: by } = permit.sender
  if (Object.entries(change).every(([part, value]) => part === 'name' || value === null)) {
    await findCampaign(db, user, id)
    await db.transaction(async (tx) => {
      await updateRecords(tx, 'campaigns', (update) =>
        update.set({ name: change.name!, changed_by: by }).where('id', '=', id),
      )
      await noteAct(tx, permit, 'campaigns', 'change', id)
    })
  } else {
    await whenSettled(services, user, id, (campaign) => revise(services, permit, campaign, change))
    await advance(services, id)
  }
  return readState(db, user, id)
}

/** Runs a change of a campaign and audits it, in one transaction. Returns whether `work` changed it. */
const noted = (
  { store }: CampaignServices,
  permit: Permit,
  action: string,
  id: string,
  work: (db: Db) => Promise<boolean>,
): Promise<boolean> =>
  store.db.transaction(async (db) => {
    const isDone = await work(db)
    if (isDone) await noteAct(db, permit, 'campaigns', action, id)
    return isDone
  })

async function revise(
  services: CampaignServices,
  permit: Permit,
  campaign: Campaign,
  change: CampaignChange,
) {
  const { store } = services
  const { user } = campaign
  await checkNotBegun(services, campaign)
  if (change.repeat && !campaign.repeat) throw invalid('repeat can be changed only if the campaign repeats')
  const repeat = change.repeat ? await completeRepeat(store, user, change.repeat) : campaign.repeat
  const begins = change.scheduledAt ?? (change.repeat ? formatDate(new Date()) : campaign.scheduledAt)
  const [scheduledAt] = repeat ? await timesFrom(user, repeat, begins) : [begins]
  const expiresAt = change.expiresAt ?? (repeat ? expiryAt(campaign, scheduledAt) : campaign.expiresAt)
  if (expiresAt && expiresAt <= scheduledAt) throw expiresBeforeDue()
  const text = change.text ? await readText(store, user, change.text) : campaign
  const people = change.audience ?? { recipients: campaign.recipients, groupIds: campaign.groups }
  const { audience, segments, ...consent } = await planAudience(store, permit, text, people, campaign)
  // check the quota for additional messages only: those stored so far will be deleted and refunded.
  // A repeating campaign has no messages of its own
  if (!repeat)
    await checkQuota(services, user, audience.length - (isStored(campaign) ? campaign.recipientsCount : 0))
  const batch = randomId()
  const set = {
    ...{ name: change.name ?? campaign.name, body: text.body, template: text.template },
    ...{ variables: JSON.stringify(text.variables), repeat: JSON.stringify(repeat) },
    ...{ groups: [...people.groupIds], recipients: JSON.stringify(people.recipients) },
    ...{ audience: JSON.stringify(repeat ? [] : audience), recipients_count: audience.length, segments },
    ...{ former_batch: campaign.batches[0]!, batch_id: batch, batches: JSON.stringify([batch]) },
    requires_consent: consent.requiresConsent,
    without_consent: JSON.stringify(consent.withoutConsent),
    ...{ scheduled_at: scheduledAt, expires_at: expiresAt, settled: false, changed_by: permit.sender.sentBy },
    revision: sql<number>`revision + 1`,
  }
  return noted(services, permit, 'change', campaign.id, (db) => changeAsRead(db, campaign, set))
}

/** A message of the campaign that is assigned to a device or was sent. */
const findBegun = (db: Db, batch: string) =>
  queries(db)
    .selectFrom('sms_messages')
    .where('batch_id', '=', batch)
    .where(
      sql<boolean>`(status in ('assigned', 'sending', 'sent', 'delivered') or status = 'failed' and sent_at <> '')`,
    )
    .limit(sql.lit(1))
    .executeTakeFirst()

async function checkNotBegun({ store }: CampaignServices, campaign: Campaign) {
  const { status, scheduledAt, batches } = campaign
  const isEarly = scheduledAt > formatDate(new Date(Date.now() + MARGIN_MS))
  const isOpen = status === 'repeating' || status === 'paused'
  if (!isOpen && !(status === 'scheduled' && isEarly)) throw gatewayRefusal('campaign_begun')
  if (await findBegun(store.db, batches[0]!)) throw gatewayRefusal('campaign_begun')
}

const exists = (db: Db, id: string) =>
  queries(db).selectFrom('campaigns').where('id', '=', id).executeTakeFirst()

/** Stores a campaign; advance.ts stores its messages. For a known Idempotency-Key, returns its campaign. */
export async function createCampaign(
  services: CampaignServices,
  permit: Permit,
  wanted: NewCampaign,
  key: string | null,
): Promise<CampaignState> {
  const { db } = services.store
  const { user } = permit.sender
  const id = key === null ? randomId() : derivedId(`campaign:${user} ${key}`)
  if (!(await exists(db, id))) await insert(services, permit, id, wanted)
  return readState(db, user, id)
}

async function insert(services: CampaignServices, permit: Permit, id: string, wanted: NewCampaign) {
  const { store } = services
  const { user, sentBy: changedBy } = permit.sender
  const { line, text, audience, segments, ...consent } = await planCampaign(store, permit, wanted)
  const repeat = wanted.repeat && (await completeRepeat(store, user, wanted.repeat))
  if (!repeat) await checkQuota(services, user, audience.length)
  const { name, expiresAt, options } = wanted
  const [scheduledAt] = repeat ? await timesFrom(user, repeat, wanted.scheduledAt) : [wanted.scheduledAt]
  if (expiresAt && expiresAt <= scheduledAt) throw expiresBeforeDue()
  const { groupIds: groups, recipients } = wanted.audience
  const row = {
    ...options,
    ...consent,
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
      await checkRoom(db, user)
    }
    await insertCampaign(db, { ...row, scheduledAt, expiresAt, runOf: '', error: '', changedBy })
    await noteAct(db, permit, 'campaigns', 'create', id)
  })
}

const OVER: ReadonlySet<CampaignStatus> = new Set(['done', 'canceled', 'failed'])

type Steer = (services: CampaignServices, permit: Permit, id: string) => Promise<CampaignState>

/** Makes an action that sets a campaign's status to the result of `next`; undefined changes nothing. */
const become =
  (action: string, next: (campaign: Campaign) => CampaignStatus | undefined): Steer =>
  async (services, permit, id) => {
    const { db } = services.store
    const { user, sentBy: by } = permit.sender
    await whenSettled(services, user, id, async (campaign) => {
      const status = next(campaign)
      if (!status) return true
      const set = { settled: false, changed_by: by }
      return noted(services, permit, action, id, (tx) =>
        status === 'repeating'
          ? moveOn(tx, campaign, new Date(), campaign.runs, set)
          : changeAsRead(tx, campaign, { ...set, status }),
      )
    })
    await advance(services, id)
    return readState(db, user, id)
  }

/** Pauses a campaign: its unclaimed messages wait. Idempotent. Throws 409 `campaign_over`. */
export const pauseCampaign = become('pause', ({ status }) => {
  if (status === 'paused') return undefined
  if (OVER.has(status)) throw gatewayRefusal('campaign_over')
  return 'paused'
})

/** Resumes a paused campaign: at its scheduled time or, if that is past, now. Throws 409 `campaign_over`. */
export const resumeCampaign = become('resume', ({ status, scheduledAt, repeat }) => {
  if (status === 'scheduled' || status === 'repeating' || status === 'sending') return undefined
  if (status !== 'paused') throw gatewayRefusal('campaign_over')
  if (repeat) return 'repeating'
  return scheduledAt > formatDate(new Date()) ? 'scheduled' : 'sending'
})

/** Cancels a campaign and refunds its unclaimed messages. Idempotent. Throws 409 `campaign_over`. */
export const cancelCampaign: Steer = async (services, permit, id) => {
  const { db } = services.store
  const { user } = permit.sender
  for (;;) {
    const campaign = await findCampaign(db, user, id)
    if (campaign.status === 'canceled') break
    if (OVER.has(campaign.status)) throw gatewayRefusal('campaign_over')
    if (await endCampaign(services, campaign, 'canceled', { permit })) break
  }
  await advance(services, id)
  return readState(db, user, id)
}

export const RETRIED_CAMPAIGN = z
  .object({
    campaign: CAMPAIGN_STATE,
    retried: z.int().min(0).describe('Messages that this request has sent again.'),
    left_out: RETRIED_BATCH.shape.left_out,
  })
  .meta({ id: 'RetriedCampaign' })
export type RetriedCampaign = Readonly<z.output<typeof RETRIED_CAMPAIGN>>

/**
 * Sends a campaign's failed messages again, each at most once, in new batches. Throws 404; 409 if the
 * campaign is busy, or is neither sending nor done; and as `retryBatch`.
 */
export async function retryCampaign(
  services: CampaignServices,
  permit: Permit,
  id: string,
  body: z.output<typeof RETRY_BATCH>,
): Promise<RetriedCampaign> {
  const { db } = services.store
  const { user } = permit.sender
  // store the new batch's id before its messages, so that they belong to the campaign even after a crash
  await whenSettled(services, user, id, (campaign) => noteBatch(services, permit, campaign))
  const { batches, keepsQuiet } = await findCampaign(db, user, id)
  const before = await countMessages(services, user, batches)
  const left = noneLeftOut()
  for (const batch of batches)
    if ((await countMessages(services, user, [batch])) > 0)
      await retryBatch(services, accountSender(user, id), batch, body, keepsQuiet, left)
  const retried = (await countMessages(services, user, batches)) - before
  if (retried > 0)
    await updateRecords(db, 'campaigns', (update) =>
      update.set({ status: 'sending', settled: false }).where('id', '=', id).where('status', '=', 'done'),
    )
  return { campaign: await readState(db, user, id), retried, left_out: left }
}

/** Adds the id of the batch that resends the last batch's failures. False if the campaign was changed. */
async function noteBatch(services: CampaignServices, permit: Permit, campaign: Campaign) {
  if (campaign.status !== 'sending' && campaign.status !== 'done')
    throw gatewayRefusal('campaign_not_retriable')
  const last = campaign.batches.at(-1)!
  const isNew = (await countMessages(services, campaign.user, [last])) > 0
  const batches = JSON.stringify([...campaign.batches, ...(isNew ? [batchAfter(last)] : [])])
  const set = { batches, changed_by: permit.sender.sentBy }
  return noted(services, permit, 'retry', campaign.id, (db) => changeAsRead(db, campaign, set))
}

async function countMessages({ store }: CampaignServices, user: string, batches: readonly string[]) {
  const { messages } = await queries(store.db)
    .selectFrom('sms_messages')
    .select(({ fn }) => fn.countAll<number>().as('messages'))
    .where('batch_id', '=', anyOf(batches))
    .where('batch_id', '<>', sql.lit(''))
    .where(sql`"user" || ''`, '=', user)
    .executeTakeFirstOrThrow()
  return messages
}
