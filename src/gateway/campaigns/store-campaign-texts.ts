import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries, writeUnindexed } from '../../platform/db/queries.ts'
import { gatewayRefusal, type RefusalCode } from '../base/gateway-errors.ts'
import type { Media } from '../base/message-files.ts'
import { REASONS, REFUSED } from '../base/message-status.ts'
import type { Offer } from '../messages/send/offer.ts'
import { type AlsoStore, storeOffer } from '../messages/send/store-offers.ts'
import { type Text, writeTexts } from '../messages/send/write-text-bodies.ts'
import {
  type Campaign,
  type CampaignServices,
  listFormerBatches,
  loadCampaign,
} from './campaign.ts'
import { withCampaignMedia } from './campaign-files.ts'
import { makeCampaignOffer } from './campaign-offer.ts'
import { countOpenRows, linkTexts, loadOpenRows, recordReasons } from './list-rows.ts'
import { writeRowTexts } from './list-texts.ts'
import { checkQuota } from './plan-campaign.ts'
import { makeChunkKey, splitAudience } from './split-audience.ts'

/**
 * Stores a campaign's missing messages. Returns false if the campaign was changed or `signal` aborted. Throws
 * a GatewayError if the messages are refused.
 */
export async function storeMessages(
  services: CampaignServices,
  campaign: Campaign,
  signal?: AbortSignal,
) {
  const { store, config } = services
  if (campaign.rows > 0) return storeRows(services, campaign, signal)
  const stored = await loadBatchPhones(store, campaign, campaign.batches[0]!)
  const reached = new Set<string>()
  for (const batch of listFormerBatches(campaign))
    for (const to of await loadBatchPhones(store, campaign, batch, HAS_LEFT)) reached.add(to)
  const missing = splitAudience(campaign, config).map((chunk) =>
    chunk.filter((phone) => phone !== ERASED && !reached.has(phone)),
  )
  const open = missing.map((chunk) => (chunk.some((phone) => stored.has(phone)) ? [] : chunk))
  await checkQuota(services, campaign.user, open.flat().length)
  for (const [number, phones] of open.entries()) {
    if (signal?.aborted) return false
    if (phones.length > 0 && !(await storeChunk(services, campaign, phones, number))) return false
  }
  return true
}

/** Stands in the audience for the number of an erased person. */
const ERASED = ''

/** The message was neither canceled, refused nor sent again: so the recipient may have got the text. */
const HAS_LEFT = sql<boolean>`not (status = 'failed'
  and (error_message = any(${[REASONS.canceled, ...REFUSED]}::text[]) or exists (
    select from sms_messages r where r."user" = sms_messages."user" and r.client_ref <> ''
      and r.client_ref = 'retry:' || sms_messages.id)))`

async function loadBatchPhones(
  { db }: Store,
  { user }: Campaign,
  batch: string,
  where = sql<boolean>`true`,
) {
  const texts = await queries(db)
    .selectFrom('sms_messages')
    .select('to')
    .where('batch_id', '=', batch)
    .where('batch_id', '<>', sql.lit(''))
    .where(writeUnindexed('user'), '=', user)
    .where(where)
    .execute()
  return new Set(texts.map(({ to }) => to))
}

/** As `storeMessages`, for a list. A row that has got its text meanwhile, or was erased, is left out. */
async function storeRows(services: CampaignServices, campaign: Campaign, signal?: AbortSignal) {
  const { store, config } = services
  const { db } = store
  await checkQuota(services, campaign.user, await countOpenRows(db, campaign.audience))
  for (const [number, ids] of splitAudience(campaign, config).entries()) {
    if (signal?.aborted) return false
    const rows = await loadOpenRows(db, ids)
    if (rows.length === 0) continue
    const written = await writeRowTexts(store, config, campaign.user, campaign, rows)
    const texts = written.flatMap(({ text }) => text ?? [])
    const ready = rows.filter((_, i) => written[i]!.text)
    const link = (messages: Offer['messages']) => (tx: Db) => linkTexts(tx, ready, messages)
    if (texts.length > 0 && !(await storeTexts(services, campaign, texts, number, link)))
      return false
    const bad = rows.flatMap(({ id }, i) => {
      const { text, ...why } = written[i]!
      return text ? [] : { id, reason: '', ...why }
    })
    await recordReasons(db, bad)
  }
  return true
}

async function storeChunk(
  services: CampaignServices,
  campaign: Campaign,
  phones: readonly string[],
  number: number,
) {
  const texts = await writeTexts(services.store, services.config, campaign.user, campaign, phones)
  return storeTexts(services, campaign, texts, number)
}

/** Stores the texts of a chunk. `link`: makes what is stored beside an accepted offer. */
async function storeTexts(
  services: CampaignServices,
  campaign: Campaign,
  texts: readonly Text[],
  number: number,
  link?: (messages: Offer['messages']) => AlsoStore,
) {
  const now = await loadCampaign(services.store.db, campaign.id)
  if (now?.version !== campaign.version) return false
  // with files as MMS, or as texts with links if the campaign allows this
  const store = (media?: Media) => {
    const { scheduledAt, expiresAt } = campaign
    const times = { scheduledAt, expiresAt, key: makeChunkKey(campaign, number) }
    const offer = makeCampaignOffer(campaign, texts, media, times)
    return storeOffer(services, offer, link?.(offer.messages))
  }
  const hasFiles = campaign.attachments.length > 0
  const { outcome } = await (hasFiles ? withCampaignMedia(services, campaign, store) : store())
  if (outcome === 'accepted' || outcome === 'replayed') return true
  // the account was disabled: false makes `settleCampaign` read the campaign again
  if (outcome === 'stale') return false
  throw gatewayRefusal(outcome as RefusalCode)
}
