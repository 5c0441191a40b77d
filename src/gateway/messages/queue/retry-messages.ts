import { sql } from 'kysely'
import type { z } from 'zod'
import type { Db } from '../../../platform/db/open.ts'
import { queries, writeUnindexed } from '../../../platform/db/queries.ts'
import { deriveId } from '../../../platform/tools/random.ts'
import { normalizePhone } from '../../../portable/phone/read-phone.ts'
import { countSegments } from '../../../portable/segments.ts'
import { gatewayRefusal } from '../../base/gateway-errors.ts'
import type { Sender } from '../../base/make-sender.ts'
import type { Media } from '../../base/message-files.ts'
import { CANCELED_REASONS, REASONS } from '../../base/message-status.ts'
import { type Permit, requirePermit } from '../../base/permissions.ts'
import { SERVER_REFS } from '../../base/server-refs.ts'
import { renewStopLinks } from '../../base/stop-link.ts'
import { type Accepted, acceptSend, type SendServices } from '../send/accept-send.ts'
import { KEPT_SCOPE, readScope } from '../send/consent-scope.ts'
import { moveExpiry } from '../send/message-expiry.ts'
import { makeOffer } from '../send/prepare-offer.ts'
import { findRefused } from '../send/refused-recipients.ts'
import { REPEATABLE_TEXT } from '../send/sealed-texts.ts'
import { makePlainSend, PLAIN_OPTIONS, type SendOptions } from '../send/send-options.ts'
import {
  IS_OF_CAMPAIGN,
  makeCampaignError,
  requireOwnBatch,
  toGatewayError,
  writeIsSeen,
} from '../send/sending-permission.ts'
import { type SendOutcome, type SendVerdict, storeOffer } from '../send/store-offers.ts'
import { hasFiles, withStoredMedia } from '../send/stored-media.ts'
import { listStoredOptions, readStoredOptions } from '../send/stored-options.ts'
import { countBatch } from './count-batch.ts'
import {
  type CHOICES,
  type LeftOut,
  makeNoneLeftOut,
  type RETRIED_BATCH,
  type RETRY_BATCH,
  type RETRY_MESSAGE,
} from './retry-schemas.ts'

/** How the `error_message` of a message begins if its outcome is unknown. */
export const UNKNOWN = 'Outcome unknown'

/** Messages to send again at a time. The user's other sends are accepted in between. */
const MAX_OFFERS = 500

/**
 * Messages that the sender may see, and what is needed to send them again. `campaign`: to which the message
 * belongs; '' for none. `again`: the id of the message that resends this one (`batch`: that message's batch);
 * null for none.
 */
const selectMessages = (db: Db, sender: Sender) =>
  queries(db)
    .selectFrom('sms_messages as m')
    .leftJoin('sms_messages as r', (join) =>
      join
        .on('r.user', '=', sender.user)
        .on(sql<boolean>`r.client_ref = ${sql.lit(SERVER_REFS.retry)} || m.id`)
        .on('r.client_ref', '<>', sql.lit('')),
    )
    .select(['m.id', 'm.status', 'm.message_type as type', 'm.to'])
    .select(listStoredOptions('m'))
    .select(['m.expires_at as expiresAt', 'm.error_message as reason'])
    .select(['m.segments', 'm.subject', 'm.attachments'])
    .select(['r.id as again', 'r.batch_id as batch', REPEATABLE_TEXT.as('body')])
    .select([
      sql<string>`case when m.scheduled_at <> '' then m.scheduled_at else m.created end`.as('due'),
      sql<string>`case when ${IS_OF_CAMPAIGN} then m.sent_by else '' end`.as('campaign'),
      KEPT_SCOPE.as('scope'),
    ])
    .where(writeUnindexed('m.user'), '=', sender.user)
    .where(writeIsSeen(sender))
    .orderBy('m._rowid')

/** Numbers may have been stored in a form that the server no longer stores: see `normalizePhone`. */
async function loadFailedTexts(db: Db, sender: Sender, batch: string) {
  const found = await selectMessages(db, sender)
    .where('m.batch_id', '=', batch)
    .where('m.batch_id', '<>', sql.lit(''))
    .where(sql<boolean>`m.status || '' = 'failed' and m.message_type = 'outgoing'`)
    .execute()
  return found.map((one) => ({ ...one, to: normalizePhone(one.to) }))
}

type Failed = Awaited<ReturnType<typeof loadFailedTexts>>[number]

/**
 * Sends a batch's failed messages again to any device, each at most once. The new batch's id is made from the
 * old one's, so a repeated call continues. `left` counts messages that were not sent. Throws 404
 * `batch_not_found`, 409, StaleAuth, and 402, 503 or another refusal if nothing could be sent.
 */
export async function retryBatch(
  services: SendServices,
  sender: Sender,
  batchId: string,
  { include = [] }: z.output<typeof RETRY_BATCH>,
  keepsQuiet = false,
  left = makeNoneLeftOut(),
): Promise<z.output<typeof RETRIED_BATCH>> {
  const { db } = services.store
  await requireOwnBatch(db, requirePermit(sender, 'retry'), batchId)
  const failed = await loadFailedTexts(db, sender, batchId)
  if (failed.length === 0) await countBatch(services.store, sender, batchId) // throws 404 for an unknown batch
  const batch = findBatchAfter(batchId)
  const ids = new Map<Failed, string>()
  const due: Failed[] = []
  // all messages of a batch are of one send
  const scope = readScope(failed[0]?.scope ?? null)
  const phones = failed.map(({ to }) => to)
  const refused = await findRefused(services.store, sender.user, phones, scope)
  for (const one of failed) {
    const why = findRetryObstacle(one, batch, include, refused)
    if (why) left[why]++
    else if (one.again) ids.set(one, one.again)
    else due.push(one)
  }
  const permit = requirePermit(sender, 'retry', due.length)
  let refusal: SendOutcome | undefined
  for (
    let at = 0;
    at < due.length && (!refusal || refusal === 'destination_not_allowed');
    at += MAX_OFFERS
  ) {
    const some = due.slice(at, at + MAX_OFFERS)
    const offerAgain = (one: Failed) => offerFailedAgain(services, permit, one, batch, keepsQuiet)
    const texts = some.filter((one) => !hasFiles(one))
    const decided = new Map(
      await Promise.all(texts.map(async (one) => [one, await offerAgain(one)] as const)),
    )
    // one by one: each holds its files in memory
    for (const one of some) if (hasFiles(one)) decided.set(one, await offerAgain(one))
    for (const [one, { outcome, known }] of decided)
      if (outcome === 'accepted' || outcome === 'known') ids.set(one, known)
      else refusal ??= outcome
  }
  left.refused += due.filter((one) => !ids.has(one)).length
  if (refusal && (refusal === 'stale' || ids.size === 0)) throw toGatewayError(sender, refusal)
  const message_ids = failed.flatMap((one) => ids.get(one) ?? [])
  const batch_id = message_ids.length > 0 ? batch : ''
  return { batch_id, message_ids, recipients_count: message_ids.length, left_out: left }
}

function findRetryObstacle(
  one: Failed,
  batch: string,
  include: readonly (typeof CHOICES)[number][],
  refused: ReadonlyMap<string, string>,
): LeftOut | undefined {
  const { again, batch: itsBatch, to, reason, body, attachments } = one
  if (again) return itsBatch === batch ? undefined : 'retried'
  const refusal = refused.get(to) ?? reason
  if (refusal === REASONS.optedOut || refusal === REASONS.stopped) return 'opted_out'
  if (refusal === REASONS.noConsent) return 'no_consent'
  if (reason.startsWith(UNKNOWN) && !include.includes('unknown')) return 'unknown'
  if (CANCELED_REASONS.includes(reason) && !include.includes('canceled')) return 'canceled'
  const isGone = hasFiles(one) ? attachments.length === 0 : body === ''
  return isGone ? 'no_text' : undefined
}

/** Sends a failed message again. If accepted, `known` of the verdict is the new message's id. */
async function offerFailedAgain(
  services: SendServices,
  permit: Permit,
  failed: Failed,
  batch: string,
  keepsQuiet: boolean,
): Promise<SendVerdict> {
  const { store, config } = services
  const one = { ...failed, body: await renewStopLinks(store.db, config, failed.body) }
  const options = { ...makeRetryOptions(one), isBulk: true, keepsQuiet }
  const send = async (words: string, media?: Media): Promise<SendVerdict> => {
    const texts = [{ to: one.to, body: words, segments: countSegments(words).segments }]
    const offer = makeOffer({ permit, options, texts, words, media, batch })
    const verdict = await storeOffer(services, offer)
    return verdict.outcome === 'accepted' ? { ...verdict, known: offer.messages[0]!.id } : verdict
  }
  if (!hasFiles(one)) return send(one.body)
  const { user } = permit.sender
  return withStoredMedia(store.db, user, config, one, (media, words) => send(words, media))
}

const makeRetryOptions = (failed: Failed): SendOptions => ({
  ...PLAIN_OPTIONS,
  ...readStoredOptions(failed),
  expiresAt: computeExpiryNow(failed),
  clientRef: makeRetryRef(failed.id),
  scope: readScope(failed.scope),
})

export const findBatchAfter = (batchId: string): string => deriveId(`retry:${batchId}`)

/** Sends a failed message again. Idempotent. Throws 404, 409 `not_retriable`, and as `send`. */
export async function retryMessage(
  services: SendServices,
  sender: Sender,
  id: string,
  { device_id }: z.output<typeof RETRY_MESSAGE>,
): Promise<Accepted> {
  const { store, config } = services
  const found = await selectMessages(store.db, sender).where('m.id', '=', id).executeTakeFirst()
  if (!found) throw gatewayRefusal('message_not_found')
  const one = { ...found, body: await renewStopLinks(store.db, config, found.body) }
  const { status, type, to, body, campaign, reason } = one
  if (campaign !== '' && campaign !== sender.sentBy) throw makeCampaignError(campaign)
  if (status !== 'failed' || type !== 'outgoing') throw gatewayRefusal('not_retriable')
  if (reason === REASONS.optedOut)
    throw gatewayRefusal('not_retriable', 'The recipient had opted out: send a new text')
  if (reason === REASONS.noConsent)
    throw gatewayRefusal(
      'not_retriable',
      'The recipient has not given the consent that this text requires',
    )
  if (reason === REASONS.stopped)
    throw gatewayRefusal('not_retriable', 'The person was erased and gets no more texts')
  if (body === '' && !hasFiles(one))
    throw gatewayRefusal('not_retriable', 'The text of this message is no longer kept')
  const options = makeRetryOptions(one)
  const send = (words: string, media?: Media) => {
    const single = makePlainSend(normalizePhone(to), words, options, device_id ?? '')
    return acceptSend(services, sender, { read: () => ({ body: { ...single, media } }) })
  }
  if (!hasFiles(one)) return send(body)
  return withStoredMedia(store.db, sender.user, config, one, (media, words) => send(words, media))
}

/** The `client_ref` of the message that resends message `id`. It is unique, so there is only one. */
const makeRetryRef = (id: string) => SERVER_REFS.retry + id

/** The expiry of a message that is sent again now: as long after now as it was after `due`; '' for none. */
const computeExpiryNow = ({ due, expiresAt }: Failed) => moveExpiry(expiresAt, due, Date.now())
