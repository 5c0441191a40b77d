import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { NOW, queries } from '../../db/queries.ts'
import { GatewayError } from '../../errors.ts'
import { deleteRecords } from '../../records/cascade.ts'
import type { JobKind } from '../../work/job-queue.ts'
import { cancelWaiting, lockWaiting } from '../queue/cancel.ts'
import type { Offer } from '../send/accept.ts'
import { PLAIN_OPTIONS } from '../send/body.ts'
import { writeTexts } from '../send/content.ts'
import { gatewayRefusal, type RefusalCode } from '../send/refusals.ts'
import { offeredMessage } from '../send/send.ts'
import { REASONS, updateRecords } from '../status.ts'
import {
  type Campaign,
  type CampaignServices,
  type CampaignStatus,
  changeAsRead,
  chunkKey,
  chunksOf,
  endCampaign,
  findCampaign,
  holdMessages,
  isStored,
  permitOf,
  readCampaign,
  releaseMessages,
} from './campaign.ts'
import { checkQuota, repeatIfDue } from './plan.ts'

/** Makes a campaign's messages match its status. Returns false if the campaign must be read again. */
type Step = (services: CampaignServices, campaign: Campaign, signal?: AbortSignal) => Promise<boolean>

const STEPS: Readonly<Record<CampaignStatus, Step>> = {
  scheduled: send,
  repeating: keep,
  sending: send,
  done: send,
  paused: pause,
  canceled: end,
  failed: end,
}

/** Notes that a campaign's messages match its status, unless it has changed since it was read. */
const settle = (db: Db, { id, version }: Campaign) =>
  queries(db)
    .updateTable('campaigns')
    .set({ settled: true, former_batch: '' })
    .set({ audience: sql`case when status = 'paused' then audience else '[]'::json end` })
    .where('id', '=', id)
    .where(sql`xmin::text`, '=', version)
    .execute()

/**
 * Stores, holds or cancels a campaign's messages until they match its status: the campaign is then settled.
 * Idempotent. Returns the settled campaign, or undefined if it was deleted or `signal` aborted.
 */
export async function advance(services: CampaignServices, id: string, signal?: AbortSignal) {
  const { db } = services.store
  let last: Campaign | undefined
  while (!signal?.aborted) {
    const campaign = await readCampaign(db, id)
    if (!campaign && last) await cancelAll(services, last)
    if (!campaign || campaign.settled) return campaign
    last = campaign
    if (await STEPS[campaign.status](services, campaign, signal)) await settle(db, campaign)
  }
  return undefined
}

async function send(services: CampaignServices, campaign: Campaign, signal?: AbortSignal) {
  const { store } = services
  if (campaign.isDisabled) return suspend(services, campaign)
  if (isStored(campaign)) return releaseMessages(store, campaign)
  await deleteFormer(services, campaign)
  try {
    // also release: an earlier pause may have held some of the messages
    return (await storeMessages(services, campaign, signal)) && (await releaseMessages(store, campaign))
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    await endCampaign(services, campaign, 'failed', { error: error.message })
    return false
  }
}

/** The step of a repeating campaign. It has no messages: each of its runs is a campaign of its own. */
async function keep(services: CampaignServices, campaign: Campaign) {
  return !campaign.isDisabled || suspend(services, campaign)
}

async function pause(services: CampaignServices, campaign: Campaign) {
  await deleteFormer(services, campaign)
  return holdMessages(services.store, campaign)
}

/** Pauses a campaign that was created or resumed while its user was being disabled. */
async function suspend({ store }: CampaignServices, campaign: Campaign) {
  if (campaign.status === 'done') return true
  await changeAsRead(store.db, campaign, { status: 'paused' })
  return false
}

async function end(services: CampaignServices, campaign: Campaign) {
  await deleteFormer(services, campaign)
  await cancelAll(services, campaign)
  return true
}

async function cancelAll({ store }: CampaignServices, campaign: Campaign) {
  for (const batch of campaign.batches) await cancelWaiting(store, permitOf(campaign), batch)
}

/** Deletes unsent messages of a campaign's previous revision. Merely canceled ones would pile up. */
async function deleteFormer(services: CampaignServices, campaign: Campaign) {
  const { formerBatch } = campaign
  const { store, extensions } = services
  const messages = store.catalog.find('sms_messages')!
  const deleteSome = () =>
    store.db.transaction(async (db) => {
      const ids = (await lockWaiting(db, permitOf(campaign), formerBatch)).map(({ message }) => message)
      await deleteRecords({ db, catalog: store.catalog }, extensions, messages, ids)
      return ids.length
    })
  while (formerBatch && (await deleteSome()) > 0);
}

/** Maximum tries to change a campaign while others change it. Then `whenSettled` throws 409. */
const TRIES = 5
const PAUSE_MS = 50

/** Settles a campaign and calls `work`; repeats both if `work` returns false. Throws 404, 409 after TRIES. */
export async function whenSettled(
  services: CampaignServices,
  user: string,
  id: string,
  work: (campaign: Campaign) => Promise<boolean>,
): Promise<void> {
  const { db } = services.store
  for (let tries = 0; tries < TRIES; tries++) {
    const found = await findCampaign(db, user, id)
    if (!found.settled) await advance(services, id)
    const campaign = found.settled ? found : await findCampaign(db, user, id)
    if (campaign.settled && (await work(campaign))) return
    await sleep(PAUSE_MS)
  }
  throw gatewayRefusal('campaign_busy')
}

/** A campaign's job stops after this time and continues later, to let other campaigns' jobs run. */
const RUN_MS = 10_000

const beginIfDue = (db: Db, id: string) =>
  updateRecords(db, 'campaigns', (update) =>
    update
      .set({ status: 'sending' })
      .where('id', '=', id)
      .where('status', '=', 'scheduled')
      .where('settled', '=', true)
      .where('scheduled_at', '<=', NOW),
  )

// `offset 0` prevents a join: a join would read all messages, the subquery reads one index entry per batch
const IS_OVER = sql<boolean>`not exists (
  select from json_array_elements_text(batches) b where exists (
    select from sms_messages m where m.batch_id = b and m.batch_id <> ''
      and m.status in ('pending', 'assigned', 'sending') offset 0))`

const endIfOver = (db: Db, id: string) =>
  updateRecords(db, 'campaigns', (update) =>
    update
      .set({ status: 'done' })
      .where('id', '=', id)
      .where('status', '=', 'sending')
      .where('settled', '=', true)
      .where(IS_OVER),
  )

const NEXT_SECONDS = sql<number>`case when not settled then 0
  when status in ('scheduled', 'repeating')
    then least(3600, greatest(0, extract(epoch from nullif(scheduled_at, '')::timestamptz - now())))
  else least(60, greatest(1, extract(epoch from now() - nullif(scheduled_at, '')::timestamptz) / 60)) end::float8`

/** When a campaign's job runs again. While the campaign sends: in 1 s at first, in 60 s after an hour. */
const nextRun = (db: Db, id: string) =>
  queries(db)
    .selectFrom('campaigns')
    .select(NEXT_SECONDS.as('inSeconds'))
    .where('id', '=', id)
    .where(({ or, eb }) =>
      or([eb('settled', '=', false), eb('status', 'in', ['scheduled', 'repeating', 'sending'])]),
    )
    .executeTakeFirst()

/** Jobs that begin, repeat and end campaigns and store their messages. Added by a trigger on `campaigns`. */
export const campaignJobs = (servicesOf: (user: string) => CampaignServices): JobKind => ({
  name: 'campaign',
  places: 4,
  placesOfHolder: 1,
  timeoutSeconds: 30,
  maxAttempts: 40,
  async run({ key: id, holder }, signal) {
    const services = servicesOf(holder)
    const { db } = services.store
    const settled = await advance(services, id, AbortSignal.any([signal, AbortSignal.timeout(RUN_MS)]))
    if (settled) await repeatIfDue(services, settled)
    await beginIfDue(db, id)
    await endIfOver(db, id)
    return nextRun(db, id)
  },
})

/**
 * Stores a campaign's missing messages. Returns false if the campaign was changed or `signal` aborted. Throws
 * a GatewayError if the messages are refused.
 */
export async function storeMessages(services: CampaignServices, campaign: Campaign, signal?: AbortSignal) {
  const { store, config } = services
  const stored = await phonesOf(store, campaign, campaign.batches[0]!)
  const reached = campaign.formerBatch
    ? await phonesOf(store, campaign, campaign.formerBatch, HAS_LEFT)
    : new Set<string>()
  const missing = chunksOf(campaign, config).map((chunk) => chunk.filter((phone) => !reached.has(phone)))
  const open = missing.map((chunk) => (chunk.some((phone) => stored.has(phone)) ? [] : chunk))
  await checkQuota(services, campaign.user, open.flat().length)
  for (const [number, phones] of open.entries()) {
    if (signal?.aborted) return false
    if (phones.length > 0 && !(await storeChunk(services, campaign, phones, number))) return false
  }
  return true
}

/** The message was not canceled, and its recipient agreed: so the recipient may have got the text. */
const HAS_LEFT = sql<boolean>`not (status = 'failed'
  and error_message in (${sql.lit(REASONS.canceled)}, ${sql.lit(REASONS.optedOut)},
    ${sql.lit(REASONS.noConsent)}))`

async function phonesOf({ db }: Store, { user }: Campaign, batch: string, where = sql<boolean>`true`) {
  const texts = await queries(db)
    .selectFrom('sms_messages')
    .select('to')
    .where('batch_id', '=', batch)
    .where('batch_id', '<>', sql.lit(''))
    .where(sql`"user" || ''`, '=', user)
    .where(where)
    .execute()
  return new Set(texts.map(({ to }) => to))
}

async function storeChunk(
  services: CampaignServices,
  campaign: Campaign,
  phones: readonly string[],
  number: number,
) {
  const texts = await writeTexts(services.store, campaign.user, campaign, phones)
  const messages = texts.map((text) => offeredMessage(text, !campaign.variables, campaign.keepsQuiet))
  const now = await readCampaign(services.store.db, campaign.id)
  if (now?.version !== campaign.version) return false
  const { outcome } = await services.acceptor.add(offerOf(campaign, messages, number))
  if (outcome === 'accepted' || outcome === 'replayed') return true
  // the account was disabled: false makes `advance` read the campaign again
  if (outcome === 'stale') return false
  throw gatewayRefusal(outcome as RefusalCode)
}

function offerOf(campaign: Campaign, messages: Offer['messages'], number: number): Offer {
  const { priority, sim, scheduledAt, expiresAt, guarantee } = campaign
  return {
    ...PLAIN_OPTIONS,
    ...{ priority, sim, scheduledAt, expiresAt, guarantee },
    permit: permitOf(campaign),
    device: campaign.device || undefined,
    line: campaign.line || undefined,
    later: true,
    batch: campaign.batches[0]!,
    body: campaign.variables ? undefined : campaign.body,
    isBulk: true,
    idempotency: { key: chunkKey(campaign, number), fingerprint: '' },
    messages,
  }
}
