import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import { formatDate } from '../../fields/types/date.ts'
import type { Offer } from './offer.ts'

/** An offer's outcome. `stale`: read the credentials again; `replayed`: its key has an answer. */
export type Outcome =
  | 'accepted'
  | 'stale'
  | 'replayed'
  | 'known'
  | 'again'
  | 'message_id_in_use'
  | 'device_not_found'
  | 'line_not_found'
  | 'line_ambiguous'
  | 'quota_exceeded'
  | 'no_devices'

export interface Verdict {
  readonly outcome: Outcome
  /** Of `known`: the message that had the same client_ref. */
  readonly message: string
}

export type AcceptConfig = Pick<Config, 'monthlyQuota' | 'deviceOnlineSeconds' | 'stickyDays'>

/** One call a user, in a fixed order, so that waiting for users' rows cannot deadlock. */
const ACCEPT = `
select g.owner, a.outcomes, a.known, a.wake
from json_to_recordset($6) g(owner text, recipients text[], requests sms_request[])
cross join lateral sms_accept(g.owner, $1, $2, $3, $4, $5, g.recipients, g.requests) a`

/** Stores a group of offers in one statement. Returns the verdict on each and the devices to wake. */
export async function storeOffers(store: Store, config: AcceptConfig, offers: readonly Offer[]) {
  const now = new Date()
  const since = new Date(now.getTime() - config.deviceOnlineSeconds * 1000)
  const sticky = stickySince(now, config.stickyDays)
  const terms = [formatDate(now), formatDate(since), config.monthlyQuota, '', sticky]
  const plain = await storePlain(store, terms, offers)
  if (plain) {
    const verdict: Verdict = { outcome: 'accepted', message: '' }
    return { verdicts: new Map(offers.map((offer) => [offer, verdict])), wake: plain }
  }
  const byUser = Map.groupBy(offers, ({ user }) => user)
  const groups = [...byUser.keys()].sort().map((owner) => {
    const own = byUser.get(owner)!
    const recipients = own.flatMap(({ messages }) => messages.map(({ to }) => to))
    return { owner, recipients, requests: own.map(requestRow) }
  })
  const { rows } = await store.db.query(ACCEPT, [...terms, JSON.stringify(groups)], 'sms accept')
  const verdicts = new Map<Offer, Verdict>()
  for (const [owner, outcomes, known] of rows as [string, Outcome[], string[]][])
    for (const [i, offer] of byUser.get(owner)!.entries())
      verdicts.set(offer, { outcome: outcomes[i]!, message: known[i]! })
  return { verdicts, wake: rows.flatMap((row) => (row[3] as string[] | null) ?? []) }
}

/** The date since which a number that exchanged a text with a line keeps the line; '' when none does. */
export const stickySince = (now: Date, days: number): string =>
  days === 0 ? '' : formatDate(new Date(now.getTime() - days * 86_400_000))

const requestRow = (offer: Offer) => ({
  version: offer.version,
  key: offer.key,
  key_version: offer.keyVersion,
  device: offer.device,
  line: offer.line,
  from: offer.from,
  later: offer.later,
  batch: offer.batch,
  body: offer.body,
  priority: offer.priority,
  sim: offer.sim,
  scheduled_at: offer.scheduledAt || null,
  expires_at: offer.expiresAt || null,
  guarantee: offer.guarantee,
  ref: offer.clientRef || null,
  bulk: offer.isBulk,
  idempotency_key: offer.idempotency?.key,
  fingerprint: offer.idempotency?.fingerprint,
  answer: offer.idempotency && offer.answer,
  origin: offer.origin,
  sent_by: offer.sentBy,
  messages: offer.messages,
})

/** The parameters of sql/functions/sms/sms_accept_plain.sql, in its order. */
const ACCEPT_PLAIN = `select sms_accept_plain(${Array.from({ length: 17 }, (_, i) => `$${i + 1}`).join(', ')})`

/** Stores plain offers of one sender; undefined if `sms_accept` must decide. `terms`: as for `sms_accept`. */
async function storePlain({ db }: Store, terms: readonly unknown[], offers: readonly Offer[]) {
  const { user, version, key, keyVersion, sentBy } = offers[0]!
  const isSame = (one: Offer) =>
    one.user === user &&
    one.version === version &&
    one.key === key &&
    one.keyVersion === keyVersion &&
    one.sentBy === sentBy
  if (!offers.every((offer) => isPlain(offer) && isSame(offer))) return undefined
  const messages = offers.map((offer) => offer.messages[0]!)
  const { rows } = await db.query(
    ACCEPT_PLAIN,
    [
      ...[user, ...terms, version, key, keyVersion, sentBy],
      ...[messages.map(({ id }) => id), messages.map(({ to }) => to)],
      ...[messages.map(({ body }, i) => body ?? offers[i]!.body), messages.map(({ segments }) => segments)],
      offers.map(({ priority }) => priority),
      offers.map(({ expiresAt }) => expiresAt),
      offers.map(({ guarantee }) => guarantee),
    ],
    'sms accept plain',
  )
  return (rows[0]![0] as string[] | null) ?? undefined
}

/** Whether it is a text to one number, at once, by any device, that nothing names: what most requests are. */
const isPlain = (offer: Offer): boolean =>
  offer.messages.length === 1 &&
  offer.messages[0]!.zone === undefined &&
  offer.idempotency === null &&
  offer.clientRef === '' &&
  offer.device === null &&
  offer.line === null &&
  offer.from === null &&
  offer.sim === 0 &&
  offer.batch === null &&
  offer.origin === null &&
  !offer.isBulk &&
  !offer.later
