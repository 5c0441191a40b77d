import type { Store } from '../../../engine/collections/catalog.ts'
import { formatDate } from '../../../engine/fields/parse-date.ts'
import type { Config } from '../../../platform/config.ts'
import { type Groups, makeGroups } from '../../../platform/db/group-commits.ts'
import { counts } from '../../../platform/tools/process-counters.ts'
import type { RefusalCode } from '../../base/gateway-errors.ts'
import { wakeDevices } from '../../lines/wake-devices.ts'
import { linkOfferedFiles } from './file-links.ts'
import { dropOfferedFiles, storeOfferedFiles } from './mms.ts'
import type { Offer } from './offer.ts'

/** Results of a send. sql/functions/messages/send/sms_judge.sql explains each. */
export type Outcome = 'accepted' | 'stale' | 'replayed' | 'known' | 'again' | RefusalCode

export interface Verdict {
  readonly outcome: Outcome
  readonly message: string
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
  readonly verdicts: readonly (Verdict | undefined)[]
  readonly wake: readonly string[]
}

const ACCEPT = 'select outcomes, known, wake from sms_accept($1, $2, $3, $4, $5, $6, $7)'

/** A user's offers, as sms_accept takes them. `places`: their indexes among all offers. */
interface Group {
  readonly recipients: string[]
  readonly requests: string[]
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
    group.requests.push(makeRequestRow(offer))
    group.places.push(i)
    // before the statement, whose locks let other sends of the user wait
    if (offer.media) await storeOfferedFiles(store.db, config, offer)
  }
  // in a fixed order, so that locks of users' rows cannot deadlock
  const owners = [...groups.keys()].sort()
  const recipients: string[] = []
  const requests: string[] = []
  const places: number[] = []
  for (const owner of owners) {
    const group = groups.get(owner)!
    recipients.push(writeArrayText(group.recipients))
    requests.push(writeArrayText(group.requests))
    places.push(...group.places)
  }
  const { rows } = await store.db.query(
    ACCEPT,
    [...terms, owners, recipients, requests],
    'sms accept',
  )
  const [[outcomes, known, wake]] = rows as [[Outcome[], string[], string[] | null]]
  const verdicts: (Verdict | undefined)[] = []
  for (const [i, outcome] of outcomes.entries())
    verdicts[places[i]!] = outcome === 'again' ? undefined : { outcome, message: known[i]! }
  for (const [i, offer] of offers.entries())
    if (offer.media && verdicts[i]?.outcome !== 'accepted') await dropOfferedFiles(store.db, offer)
  return { verdicts, wake: wake ?? [] }
}

/** A line is preferred for a number if they exchanged texts since this date. '': no such preference. */
export const computeStickySince = (now: Date, days: number): string =>
  days === 0 ? '' : formatDate(new Date(now.getTime() - days * 86_400_000))

/** An offer as text of the type sms_request. */
function makeRequestRow({
  permit: { sender },
  idempotency,
  origin,
  messages,
  ...offer
}: Offer): string {
  // each as text of the type sms_request_message
  const rows: string[] = []
  for (const { id, to, body, segments, zone } of messages)
    rows.push(writeRowText([id, to, body, segments, zone]))
  return writeRowText([
    sender.version,
    sender.key?.id,
    sender.key?.version,
    offer.device,
    offer.line,
    offer.from,
    offer.later === true,
    offer.batch,
    offer.body,
    offer.priority,
    offer.sim,
    offer.scheduledAt || null,
    offer.expiresAt || null,
    offer.guarantee,
    offer.clientRef || null,
    offer.isBulk,
    idempotency?.key,
    idempotency?.fingerprint,
    idempotency && (offer.answer ?? '{}'),
    origin && JSON.stringify(origin),
    writeArrayText(rows),
    sender.sentBy,
    offer.sealed,
    null, // `lines`: those of the API key, which sms_judge reads
    offer.template,
    offer.groups && writeArrayText(offer.groups),
    offer.requiresConsent === true,
    offer.isHelp === true,
    null,
    null, // `scope` and `refusals`, which sms_judge sets
    offer.media?.subject,
    offer.media && writeArrayText(offer.media.files.map(({ name }) => name)),
  ])
}

/** Accepts sends in groups: see `Groups.add`. If `add` rejects, the send may have been stored or not. */
export type Acceptor = Groups<Offer, Verdict>

/** Offers that arrive during a commit are stored together in the next one. One commit per user at a time. */
export const openAcceptor = (store: Store, config: AcceptConfig): Acceptor =>
  makeGroups<Offer, Verdict>({
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

/** Stores an MMS and its files; without a line for MMS as a text with links, if its sender allows this. */
export async function storeMms(store: Store, config: AcceptConfig, offer: Offer): Promise<Verdict> {
  const verdict = await storeWithFiles(store, config, offer)
  if (verdict.outcome !== 'mms_not_supported' || !offer.media?.orLink) return verdict
  return storeWithFiles(store, config, await linkOfferedFiles(store.db, config, offer))
}

/** Stores an offer in a transaction of its own: files are slow, and other sends would wait. */
async function storeWithFiles(store: Store, config: AcceptConfig, offer: Offer): Promise<Verdict> {
  const { verdicts, wake } = await store.db.transaction((db) =>
    storeOffers({ db, catalog: store.catalog }, config, [offer]),
  )
  const [verdict] = verdicts
  if (verdict!.outcome === 'accepted') counts.accepted.messages += offer.messages.length
  wakeDevices(store.db, wake)
  return verdict!
}

/** A field of a row as text; null or undefined for null. Text of an array or row is a string, too. */
type RowField = string | number | boolean | null | undefined

// In quotes each character stands for itself after a backslash, and '' differs from null.
const quoteItem = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`

/**
 * An array as Postgres reads it from the text of a parameter, to be cast to its type. Postgres reads rows in
 * it in a quarter of the time that JSON takes: 64 sends in 0.2 ms of CPU instead of 0.9.
 */
export const writeArrayText = (items: readonly string[]): string =>
  `{${items.map(quoteItem).join(',')}}`

/** A row as Postgres reads it from text: its fields in the order of the type. */
export function writeRowText(fields: readonly RowField[]): string {
  const texts: string[] = []
  for (const field of fields)
    texts.push(field === null || field === undefined ? '' : quoteItem(String(field)))
  return `(${texts.join(',')})`
}
