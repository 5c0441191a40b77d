import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import { Groups } from '../../db/groups.ts'
import { formatDate } from '../../fields/types/date.ts'
import { counts } from '../../metrics/counts.ts'
import { wakeDevices } from '../wake/wake.ts'
import type { Offer } from './offer.ts'

/** An offer's outcome. `stale`: read the credentials again; `replayed`: its key has an answer. */
export type Outcome =
  | 'accepted'
  | 'stale'
  | 'replayed'
  | 'known'
  | 'again'
  | 'message_id_in_use'
  | 'destination_not_allowed'
  | 'device_not_found'
  | 'line_not_found'
  | 'line_ambiguous'
  | 'quota_exceeded'
  | 'no_devices'

export interface Verdict {
  readonly outcome: Outcome
  /** For `known`: the message with the same client_ref. */
  readonly message: string
}

export type AcceptConfig = Pick<Config, 'monthlyQuota' | 'deviceOnlineSeconds' | 'stickyDays'>

interface Stored {
  /** One verdict for each offer, in the order of the offers. */
  readonly verdicts: readonly Verdict[]
  /** Devices to wake. */
  readonly wake: readonly string[]
}

/** Calls sms_accept once per user, in a fixed order, so that locks of users' rows cannot deadlock. */
const ACCEPT = `
select g.owner, a.outcomes, a.known, a.wake
from json_to_recordset($6) g(owner text, recipients text[], requests sms_request[])
cross join lateral sms_accept(g.owner, $1, $2, $3, $4, $5, g.recipients, g.requests) a`

/** The offers of one user, as the statement reads them. */
interface Group {
  readonly owner: string
  readonly recipients: string[]
  readonly requests: ReturnType<typeof requestRow>[]
}

/** Stores a group of offers in one statement. Returns the verdict on each and the devices to wake. */
export async function storeOffers(
  store: Store,
  config: AcceptConfig,
  offers: readonly Offer[],
): Promise<Stored> {
  const now = new Date()
  const since = formatDate(new Date(now.getTime() - config.deviceOnlineSeconds * 1000))
  const terms = [formatDate(now), since, config.monthlyQuota, '', stickySince(now, config.stickyDays)]
  const groups = new Map<string, Group>()
  for (const offer of offers) {
    const owner = offer.sender.user
    const group = groups.get(owner) ?? { owner, recipients: [], requests: [] }
    groups.set(owner, group)
    for (const { to } of offer.messages) group.recipients.push(to)
    group.requests.push(requestRow(offer))
  }
  const sorted = [...groups.values()].sort((a, b) => (a.owner < b.owner ? -1 : 1))
  const { rows } = await store.db.query(ACCEPT, [...terms, JSON.stringify(sorted)], 'sms accept')
  const decided = new Map<string, Verdict[]>()
  const wake: string[] = []
  for (const [owner, outcomes, known, devices] of rows as [string, Outcome[], string[], string[] | null][]) {
    decided.set(owner, outcomes.map((outcome, i) => ({ outcome, message: known[i]! })).reverse())
    wake.push(...(devices ?? []))
  }
  return { verdicts: offers.map(({ sender }) => decided.get(sender.user)!.pop()!), wake }
}

/** The date since which a text exchanged with a line makes a number keep that line; '' for never. */
export const stickySince = (now: Date, days: number): string =>
  days === 0 ? '' : formatDate(new Date(now.getTime() - days * 86_400_000))

/** An offer as JSON for the statement. Omits undefined values, as each key costs Postgres some 0.2 µs. */
const requestRow = ({ sender, idempotency, ...offer }: Offer) => ({
  version: sender.version,
  key: sender.key?.id,
  key_version: sender.key?.version,
  sent_by: sender.sentBy,
  device: offer.device,
  line: offer.line,
  from: offer.from,
  later: offer.later === true,
  batch: offer.batch,
  body: offer.body,
  sealed: offer.sealed,
  priority: offer.priority,
  sim: offer.sim,
  scheduled_at: offer.scheduledAt || undefined,
  expires_at: offer.expiresAt || undefined,
  guarantee: offer.guarantee,
  ref: offer.clientRef || undefined,
  bulk: offer.isBulk,
  idempotency_key: idempotency?.key,
  fingerprint: idempotency?.fingerprint,
  answer: idempotency && (offer.answer ?? '{}'),
  origin: offer.origin,
  messages: offer.messages,
})

/**
 * Accepts sends in groups: offers made during a commit are stored by the next. One group per user at a time.
 */
export class Acceptor {
  readonly #groups: Groups<Offer, Verdict>

  constructor(store: Store, config: AcceptConfig) {
    this.#groups = new Groups({
      keyOf: ({ sender }) => sender.user,
      sizeOf: ({ messages }) => messages.length,
      async store(offers) {
        const { verdicts, wake } = await storeOffers(store, config, offers)
        counts.accepted.commits++
        for (const [i, { messages }] of offers.entries())
          if (verdicts[i]!.outcome === 'accepted') counts.accepted.messages += messages.length
        wakeDevices(store.db, wake)
        return verdicts.map((verdict) => (verdict.outcome === 'again' ? undefined : verdict))
      },
    })
  }

  /** Resolves after the commit. Rejects when the database fails: the result is then unknown. */
  accept = (offer: Offer): Promise<Verdict> => this.#groups.add(offer)
}
