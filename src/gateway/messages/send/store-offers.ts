import type { Store } from '../../../engine/collections/catalog.ts'
import { formatDate } from '../../../engine/fields/parse-date.ts'
import type { Config } from '../../../platform/config.ts'
import { type Groups, makeGroups } from '../../../platform/db/group-commits.ts'
import type { Db } from '../../../platform/db/open.ts'
import type { RowText } from '../../../platform/db/rows.ts'
import { writeArray, writeRow } from '../../../platform/db/write-row.ts'
import { counts } from '../../../platform/tools/process-counters.ts'
import type { RefusalCode } from '../../base/gateway-errors.ts'
import { MESSAGE_COLLECTION } from '../../base/message-files.ts'
import { wakeDevices } from '../../lines/wake-devices.ts'
import { linkOfferedFiles } from './file-links.ts'
import { dropOfferedFiles, storeMediaFiles } from './mms.ts'
import type { Offer } from './offer.ts'
import { readStoredOptions } from './stored-options.ts'

/** Results of a send. sql/functions/messages/send/sms_judge.sql explains each. */
export type SendOutcome =
  | 'accepted'
  | 'tried'
  | 'stale'
  | 'replayed'
  | 'known'
  | 'again'
  | 'recipient_refused'
  | RefusalCode

/** `known`: as sms_accept returns it. */
export interface SendVerdict {
  readonly outcome: SendOutcome
  readonly known: string
}

export type AcceptConfig = Pick<
  Config,
  | 'mmsMaxBytes'
  | 'monthlyQuota'
  | 'deviceOnlineSeconds'
  | 'stickyDays'
  | 'publicUrl'
  | 'maxAccountFileBytes'
>

interface Stored {
  /** One verdict for each offer, in their order; undefined for an offer that must be stored again. */
  readonly verdicts: readonly (SendVerdict | undefined)[]
  readonly wake: readonly string[]
}

const ACCEPT = 'select outcomes, known, wake from sms_accept($1, $2, $3, $4, $5, $6, $7)'

/** A user's offers, as sms_accept takes them. `places`: their indexes among all offers. */
interface Group {
  readonly recipients: string[]
  readonly requests: RowText[]
  readonly places: number[]
}

/**
 * Stores a group of offers in one statement, in a transaction of the caller if one has files. Returns the
 * verdict on each and the devices to wake.
 */
export async function storeOffers(
  store: Store,
  config: AcceptConfig,
  offers: readonly Offer[],
): Promise<Stored> {
  const now = new Date()
  const since = formatDate(new Date(now.getTime() - config.deviceOnlineSeconds * 1000))
  const terms = [
    formatDate(now),
    since,
    config.monthlyQuota,
    computeStickySince(now, config.stickyDays),
  ]
  const groups = new Map<string, Group>()
  for (const [i, offer] of offers.entries()) {
    const owner = offer.permit.sender.user
    const group = groups.get(owner) ?? { recipients: [], requests: [], places: [] }
    groups.set(owner, group)
    for (const { to } of offer.messages) group.recipients.push(to)
    group.requests.push(writeRequest(offer))
    group.places.push(i)
    // before the statement, whose locks let other sends of the user wait
    if (offer.media) {
      const records = offer.messages.map(({ id }) => id)
      await storeMediaFiles(
        store.db,
        config,
        owner,
        { collection: MESSAGE_COLLECTION, records },
        offer.media,
      )
    }
  }
  // in a fixed order, so that locks of users' rows cannot deadlock
  const owners = [...groups.keys()].sort()
  const recipients: string[] = []
  const requests: string[] = []
  const places: number[] = []
  for (const owner of owners) {
    const group = groups.get(owner)!
    recipients.push(writeArray(group.recipients))
    requests.push(writeArray(group.requests))
    places.push(...group.places)
  }
  const { rows } = await store.db.query(
    ACCEPT,
    [...terms, owners, recipients, requests],
    'sms accept',
  )
  const [[outcomes, known, wake]] = rows as [[SendOutcome[], string[], string[] | null]]
  const verdicts: (SendVerdict | undefined)[] = []
  for (const [i, outcome] of outcomes.entries())
    verdicts[places[i]!] = outcome === 'again' ? undefined : { outcome, known: known[i]! }
  for (const [i, offer] of offers.entries())
    if (offer.media && verdicts[i]?.outcome !== 'accepted') await dropOfferedFiles(store.db, offer)
  return { verdicts, wake: wake ?? [] }
}

/** A line is preferred for a number if they exchanged texts since this date. '': no such preference. */
export const computeStickySince = (now: Date, days: number): string =>
  days === 0 ? '' : formatDate(new Date(now.getTime() - days * 86_400_000))

/** An offer, as sms_accept takes it. sms_judge sets `lines`, `scope` and `refusals`. */
function writeRequest({ permit: { sender }, idempotency, origin, messages, ...offer }: Offer) {
  const rows: RowText[] = []
  for (const { id, to, body, segments, zone } of messages)
    rows.push(writeRow('sms_request_message', { id, to, body, segments, zone }))
  return writeRow('sms_request', {
    version: sender.version,
    key: sender.key?.id,
    key_version: sender.key?.version,
    device: offer.device,
    line: offer.line,
    from: offer.from,
    later: offer.later === true,
    undo_seconds: offer.undoSeconds ?? 0,
    batch: offer.batch,
    body: offer.body,
    ...readStoredOptions(offer),
    scheduled_at: offer.scheduledAt || null,
    expires_at: offer.expiresAt || null,
    ref: offer.clientRef || null,
    bulk: offer.isBulk,
    idempotency_key: idempotency?.key,
    fingerprint: idempotency?.fingerprint,
    answer: idempotency && (offer.answer ?? '{}'),
    origin: origin && JSON.stringify(origin),
    messages: rows,
    sent_by: sender.sentBy,
    sealed: offer.sealed,
    template: offer.template,
    groups: offer.groups,
    requires_consent: offer.requiresConsent === true,
    is_help: offer.isHelp === true,
    subject: offer.media?.subject,
    attachments: offer.media?.files.map(({ name }) => name),
  })
}

/** Accepts sends in groups: see `Groups.add`. If `add` rejects, the send may have been stored or not. */
export type Acceptor = Groups<Offer, SendVerdict>

/** Offers that arrive during a commit are stored together in the next one. One commit per user at a time. */
export const openAcceptor = (store: Store, config: AcceptConfig): Acceptor =>
  makeGroups<Offer, SendVerdict>({
    keyOf: ({ permit }) => permit.sender.user,
    sizeOf: ({ messages }) => messages.length,
    async store(offers) {
      const { verdicts, wake } = await storeOffers(store, config, offers)
      counts.accepted.commits++
      for (const [i, { messages }] of offers.entries())
        if (verdicts[i]?.outcome === 'accepted') counts.accepted.messages += messages.length
      wakeDevices(store.db, wake)
      return verdicts
    },
  })

export interface OfferStore {
  readonly store: Store
  readonly config: AcceptConfig
  readonly acceptor: Acceptor
}

/**
 * Stores an offer: one without files, and without `also`, in one transaction with offers of other requests.
 */
export const storeOffer = (
  { store, config, acceptor }: OfferStore,
  offer: Offer,
  also?: AlsoStore,
): Promise<SendVerdict> =>
  offer.media || also ? storeAlone(store, config, offer, also) : acceptor.add(offer)

/** Stores more in the transaction that stores an accepted offer. */
export type AlsoStore = (db: Db) => Promise<void>

/** Stores an MMS and its files; without a line for MMS as a text with links, if its sender allows this. */
async function storeAlone(
  store: Store,
  config: AcceptConfig,
  offer: Offer,
  also?: AlsoStore,
): Promise<SendVerdict> {
  const verdict = await storeInTransaction(store, config, offer, also)
  if (verdict.outcome !== 'mms_not_supported' || !offer.media?.orLink) return verdict
  const linked = await linkOfferedFiles(store.db, config, offer)
  return storeInTransaction(store, config, linked, also)
}

/** Stores an offer in a transaction of its own: files are slow, and other sends would wait. */
async function storeInTransaction(
  store: Store,
  config: AcceptConfig,
  offer: Offer,
  also?: AlsoStore,
): Promise<SendVerdict> {
  const { verdicts, wake } = await store.db.transaction(async (db) => {
    const stored = await storeOffers({ db, catalog: store.catalog }, config, [offer])
    if (stored.verdicts[0]!.outcome === 'accepted') await also?.(db)
    return stored
  })
  const [verdict] = verdicts
  if (verdict!.outcome === 'accepted') counts.accepted.messages += offer.messages.length
  wakeDevices(store.db, wake)
  return verdict!
}
