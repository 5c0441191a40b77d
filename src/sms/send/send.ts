import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import { runForRow, statement, text } from '../../db/statements/statement.ts'
import { counts } from '../../metrics/counts.ts'
import { StaleAuth } from '../../records/fresh-auth.ts'
import { type AcceptConfig, type Acceptor, type Outcome, storeOffers, type Verdict } from './accept.ts'
import type { SendBody } from './body.ts'
import { checkBody } from './content.ts'
import { answerJson, type Idempotency, type Offer, prepareOffer } from './offer.ts'
import { gatewayRefusal, invalid, type RefusalCode, type Sender } from './shape.ts'

export interface SendServices {
  readonly store: Store
  readonly config: Pick<Config, 'maxRecipients'>
  readonly acceptor: Acceptor
}

export const ACCEPTED = z
  .object({
    batch_id: z.string().describe('Names all messages of the send; empty when it is one.'),
    message_ids: z
      .array(z.string())
      .min(1)
      .describe('Records of `sms_messages`, one for each recipient, in their order.'),
    recipients_count: z.int().min(1),
    status: z.literal('accepted'),
  })
  .meta({ id: 'Accepted' })

/** The JSON of the answer. `replayed`: the answer is that of an earlier request. */
export interface Sent {
  readonly answer: string
  readonly replayed: boolean
}

/**
 * Sends all messages of a request or none: checks the body, prepares the offer, stores it with others and
 * renders the result. Throws GatewayErrors in the order of REFUSALS, StaleAuth.
 */
export async function send(
  services: SendServices,
  sender: Sender,
  body: SendBody,
  idempotency: Idempotency | null = null,
): Promise<Sent> {
  const { store, config, acceptor } = services
  checkBody(body)
  const first = idempotency && (await firstAnswer(store, sender.user, idempotency))
  if (first) return { answer: first, replayed: true }
  const offer = await prepareOffer(store, config.maxRecipients, sender, body, idempotency)
  return renderVerdict(store, offer, await acceptor.accept(offer))
}

/** Sends in the caller's transaction. Returns the devices to wake after its commit. Throws as `send`. */
export async function sendInside(store: Store, config: AcceptConfig, offer: Offer) {
  const { verdicts, wake } = await storeOffers(store, config, [offer])
  await renderVerdict(store, offer, verdicts[0]!)
  counts.accepted.messages += offer.messages.length
  return wake
}

/** The answer to an offer. If the offer was not stored, throws its refusal or StaleAuth. */
async function renderVerdict(store: Store, offer: Offer, { outcome, message }: Verdict) {
  const { sender, idempotency } = offer
  const { user } = sender
  if (outcome === 'accepted') return { answer: offer.answer ?? '{}', replayed: false }
  if (outcome === 'replayed')
    return { answer: (await firstAnswer(store, user, idempotency!))!, replayed: true }
  if (outcome !== 'known') throw refusalOf(sender, outcome)
  // a message has this client_ref: answer as its send did, also for the new idempotency key
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

/** Finds the message if its number or text differs. Redacted and changed texts count as equal. */
const OTHER = `select 1 from sms_messages m where m.id = $1 and not (
  (m."to" = $2 or m."to" = '') and (m.body = $3 or m.body = '' or exists (
    select from sms_events e where e.message = m.id and e.status = 'pending' and e.detail like 'Changed:%text%')))`

/** Throws 422 `client_ref_reused` if the message of this `client_ref` has another number or text. */
async function checkClientRef({ db }: Store, message: string, offer: Offer): Promise<void> {
  const { to, body } = offer.messages[0]!
  const { rows } = await db.query(OTHER, [message, to, body ?? offer.body], 'sms reference')
  if (rows[0]) throw gatewayRefusal('client_ref_reused')
}

/** Maximum characters of a key. */
const MAX_KEY_LENGTH = 255
/** Printable ASCII: what a header can carry safely. */
const KEY = /^[\x21-\x7e][\x20-\x7e]*$/

/** The Idempotency-Key header; null without one. Throws 400 for an invalid one. */
export function readIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null
  if (KEY.test(header) && header.length <= MAX_KEY_LENGTH) return header
  throw invalid(`Idempotency-Key must be 1 to ${MAX_KEY_LENGTH} printable ASCII characters`)
}

/**
 * The key of the Idempotency-Key header and a hash of the request; null without one. Throws 400 for an
 * invalid key.
 */
export function readIdempotency(header: string | undefined, endpoint: string, body: unknown) {
  if (header === undefined) return null
  const key = readIdempotencyKey(header)!
  const hash = createHash('sha256').update(`${endpoint} ${canonical(body)}`)
  return { key, fingerprint: hash.digest('base64url') }
}

/** JSON with sorted keys: equal for equal values. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

const FIRST_ANSWER = statement('sms first answer', { fingerprint: 'string', answer: 'string' })`
select fingerprint, answer from sms_idempotency
where "user" = ${text('user')} and key = ${text('key')} and created > now() - interval '24 hours'`

/** The key's first answer within 24 hours, or undefined. Throws 422 if it was another request. */
export async function firstAnswer(store: Store, user: string, { key, fingerprint }: Idempotency) {
  const first = await runForRow(store.db, FIRST_ANSWER, { user, key })
  if (first && first.fingerprint !== fingerprint) throw gatewayRefusal('idempotency_key_reused')
  return first?.answer
}

/** Stores a key's first answer if no accepted send stored it. */
async function keepAnswer(
  store: Store,
  user: string,
  { key, fingerprint }: Idempotency,
  answer: string,
): Promise<void> {
  await store.db.query(
    `insert into sms_idempotency as i ("user", key, fingerprint, answer) values ($1, $2, $3, $4)
      on conflict ("user", key) do update
      set fingerprint = excluded.fingerprint, answer = excluded.answer, created = excluded.created
      where i.created <= now() - interval '24 hours'`,
    [user, key, fingerprint, answer],
    'sms keep answer',
  )
}

/** Deletes answers that are older than a day. */
export const deleteOldAnswers = ({ db }: Store) =>
  db.query(`delete from sms_idempotency where created <= now() - interval '24 hours'`)
