import type { Store } from '../../collections/catalog.ts'
import { isOwnedBy } from '../../db/by-id.ts'
import { textsOf } from '../../db/rows.ts'
import { PLAIN_OPTIONS } from '../send/body.ts'
import { type Offer, offeredMessage } from '../send/offer.ts'
import { gatewayRefusal, type RefusalCode } from '../send/refusal.ts'
import { accountSender } from '../send/sender.ts'
import { REASONS } from '../status/status.ts'
import { type Campaign, type CampaignServices, chunkKey, chunksOf, readCampaign } from './campaign.ts'
import { checkQuota, textsFor } from './plan.ts'

/** Stores missing messages by chunks with a key each. False when changed or aborted. Throws as a send. */
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

/** A message that was not canceled in time: its recipient may have the text of that revision. */
const HAS_LEFT = `and not (m.status = 'failed' and m.error_message in ('${REASONS.canceled}', '${REASONS.optedOut}'))`

async function phonesOf({ db }: Store, { user }: Campaign, batch: string, where = ''): Promise<Set<string>> {
  const phones = await db.query(
    `select m."to" from sms_messages m where m.batch_id = $1 and m.batch_id <> '' and ${isOwnedBy('m', '$2')} ${where}`,
    [batch, user],
  )
  return new Set(textsOf(phones))
}

/** Stores a chunk. False when the campaign was changed meanwhile. */
async function storeChunk(
  services: CampaignServices,
  campaign: Campaign,
  phones: readonly string[],
  number: number,
): Promise<boolean> {
  const texts = await textsFor(services.store, campaign.user, campaign, phones)
  const messages = texts.map((text) => offeredMessage(text, !campaign.variables, campaign.keepsQuiet))
  const now = await readCampaign(services.store.db, campaign.id)
  if (now?.version !== campaign.version) return false
  const { outcome } = await services.acceptor.accept(offerOf(campaign, messages, number))
  if (outcome === 'accepted' || outcome === 'replayed') return true
  // the account was disabled: the campaign is read again
  if (outcome === 'stale') return false
  throw gatewayRefusal(outcome as RefusalCode)
}

const offerOf = (campaign: Campaign, messages: Offer['messages'], number: number): Offer => ({
  ...PLAIN_OPTIONS,
  sender: accountSender(campaign.user, campaign.id),
  device: campaign.device || undefined,
  line: campaign.line || undefined,
  later: true,
  batch: campaign.batches[0]!,
  body: campaign.variables ? undefined : campaign.body,
  priority: campaign.priority,
  sim: campaign.sim,
  scheduledAt: campaign.scheduledAt,
  expiresAt: campaign.expiresAt,
  guarantee: campaign.guarantee,
  isBulk: true,
  idempotency: { key: chunkKey(campaign, number), fingerprint: '' },
  messages,
})
