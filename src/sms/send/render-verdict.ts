import type { Store } from '../../collections/catalog.ts'
import { StaleAuth } from '../../records/fresh-auth.ts'
import { firstAnswer, keepAnswer } from './idempotency.ts'
import { answerJson, type Offer } from './offer.ts'
import { gatewayRefusal, type RefusalCode } from './refusal.ts'
import type { Sender } from './sender.ts'
import type { Outcome, Verdict } from './store-offers.ts'

/** The JSON of the answer; `replayed`: it belongs to an earlier request. */
export interface Sent {
  readonly answer: string
  readonly replayed: boolean
}

/** The answer to a stored offer. Throws the refusal of one that was not stored, StaleAuth. */
export async function renderVerdict(store: Store, offer: Offer, { outcome, message }: Verdict) {
  const { sender, idempotency } = offer
  const { user } = sender
  if (outcome === 'accepted') return { answer: offer.answer ?? '{}', replayed: false }
  if (outcome === 'replayed')
    return { answer: (await firstAnswer(store, user, idempotency!))!, replayed: true }
  if (outcome !== 'known') throw refusalOf(sender, outcome)
  // a message has this reference; an idempotency key was stored for this request
  await checkClientRef(store, message, offer)
  const answer = answerJson('', [message])
  if (idempotency) await keepAnswer(store, user, idempotency, answer)
  return { answer, replayed: false }
}

/** Why an offer was not stored: a refusal, or StaleAuth for a request whose sender has changed. */
export function refusalOf({ version }: Sender, outcome: Outcome): Error {
  if (outcome !== 'stale') return gatewayRefusal(outcome as RefusalCode)
  return version === null ? gatewayRefusal('forbidden', 'The account is disabled') : new StaleAuth()
}

/** Redacted or changed texts count as equal, as in a repeated send. */
const OTHER = `select 1 from sms_messages m where m.id = $1 and not (
  (m."to" = $2 or m."to" = '') and (m.body = $3 or m.body = '' or exists (
    select from sms_events e where e.message = m.id and e.status = 'pending' and e.detail like 'Changed:%text%')))`

/** Throws 422 `client_ref_reused` if the message of this `client_ref` has another number or text. */
async function checkClientRef({ db }: Store, message: string, offer: Offer): Promise<void> {
  const { to, body } = offer.messages[0]!
  const { rows } = await db.query(OTHER, [message, to, body ?? offer.body], 'sms reference')
  if (rows[0]) throw gatewayRefusal('client_ref_reused')
}
