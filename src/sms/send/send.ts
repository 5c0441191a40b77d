import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import { admission } from '../../admission/admission.ts'
import { type Store, userHolder } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import type { Db } from '../../db/open.ts'
import { queries } from '../../db/queries.ts'
import { counts } from '../../metrics/counts.ts'
import { randomId } from '../../tools/random.ts'
import {
  type AcceptConfig,
  type Acceptor,
  type Idempotency,
  type Offer,
  type OfferedMessage,
  storeOffers,
  type Verdict,
} from './accept.ts'
import type { SendBody } from './body.ts'
import { allRecipients, checkBody, plainText, SEALED, sealText, writeTexts } from './content.ts'
import { may, refusalOf } from './judge.ts'
import { gatewayRefusal, invalid } from './refusals.ts'
import type { Sender } from './sender.ts'
import zones from './time-zones.json' with { type: 'json' }

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

/** The answer to a send, as JSON. `replayed`: an earlier request with the same Idempotency-Key got it. */
export interface Sent {
  readonly answer: string
  readonly replayed: boolean
}

/** Sends all messages of a request or none. Throws a refusal (a GatewayError), or StaleAuth. */
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
  return renderVerdict(store, offer, await acceptor.add(offer))
}

/** Sends in the caller's transaction. Returns the devices to wake after its commit. Throws as `send`. */
export async function sendInside(store: Store, config: AcceptConfig, offer: Offer) {
  const { verdicts, wake } = await storeOffers(store, config, [offer])
  await renderVerdict(store, offer, verdicts[0]!)
  counts.accepted.messages += offer.messages.length
  return wake
}

/** The answer to an offer. If the offer was not stored, throws its refusal or StaleAuth. */
export async function renderVerdict(store: Store, offer: Offer, { outcome, message }: Verdict) {
  const { idempotency } = offer
  const { sender } = offer.permit
  const { user } = sender
  if (outcome === 'accepted') return { answer: offer.answer ?? '{}', replayed: false }
  if (outcome === 'replayed')
    return { answer: (await firstAnswer(store, user, idempotency!))!, replayed: true }
  if (outcome !== 'known') throw refusalOf(sender, outcome)
  // known: a message has this client_ref. Answer as its send did, and keep the answer for the idempotency key
  await checkClientRef(store, message, offer)
  const answer = answerJson('', [message])
  if (idempotency) await keepAnswer(store, user, idempotency, answer)
  return { answer, replayed: false }
}

/** Finds the message unless its recipient and text match the request's. Removed and changed texts match. */
const findOther = (db: Db, message: string, to: string, body: string) =>
  queries(db)
    .selectFrom('sms_messages as m')
    .where('m.id', '=', message)
    .where(
      sql<boolean>`not ((m."to" = ${to} or m."to" = '') and (m.body = ${body} or m.body = '' or exists (
        select from sms_events e where e.message = m.id and e.status = 'pending' and e.detail like 'Changed:%text%')))`,
    )
    .executeTakeFirst()

async function checkClientRef({ db }: Store, message: string, offer: Offer) {
  const { to, body } = offer.messages[0]!
  if (await findOther(db, message, to, body ?? offer.body ?? '')) throw gatewayRefusal('client_ref_reused')
}

/** A new message. `isShared`: its text is the offer's `body`; `keepsQuiet`: it waits during quiet hours. */
export const offeredMessage = (
  { to, body, segments }: { readonly to: string; readonly body: string; readonly segments: number },
  isShared: boolean,
  keepsQuiet = false,
): OfferedMessage => ({
  id: randomId(),
  to,
  segments,
  ...(!isShared && { body }),
  ...(keepsQuiet && { zone: zoneOfNumber(to) }),
})

/** Makes an offer from a checked body: writes its texts. Throws 400, 403, 404, 429. */
export async function prepareOffer(
  store: Store,
  maxRecipients: number,
  sender: Sender,
  body: SendBody,
  idempotency?: Idempotency | null,
): Promise<Offer> {
  const { content, deviceId, line, options } = body
  const phones = await allRecipients(store, sender.user, body, maxRecipients)
  const permit = may(sender, 'send', phones.length)
  if (phones.length >= MIN_RECIPIENTS) await chargeOptedOut(store, sender.user, phones)
  const shared = plainText(content)
  const shown = 'body' in content ? content.shown : undefined
  // refuse an unknown device before a wrong template; for a plain text, `sms_accept` checks the device
  if (deviceId !== '' && shared === undefined) await checkDevice(store, sender.user, deviceId)
  const texts = await writeTexts(store, sender.user, content, phones)
  if (options.clientRef !== '' && texts.length > 1) throw invalid('client_ref can name one message only')
  const messages: OfferedMessage[] = []
  const ids: string[] = []
  for (const text of texts) {
    const message = offeredMessage(text, shared !== undefined, options.keepsQuiet)
    messages.push(message)
    ids.push(message.id)
  }
  const batch = messages.length > 1 ? randomId() : ''
  const ref = batch || ids[0]!
  const origin = shown === undefined ? options.origin : SEALED
  return {
    ...options,
    permit,
    device: deviceId || undefined,
    line: line.id || undefined,
    from: line.number || undefined,
    later: options.scheduledAt !== '',
    batch: batch || undefined,
    body: shown ?? shared,
    sealed: shown === undefined ? undefined : await sealText(store.db, sender.user, shared!),
    isBulk: options.isBulk || messages.length > 1,
    idempotency: idempotency ?? undefined,
    answer: answerJson(batch, ids),
    origin: origin && { ...origin, id: origin.id || ref, ref },
    messages,
  }
}

const answerJson = (batch_id: string, message_ids: readonly string[]): string =>
  JSON.stringify({ batch_id, message_ids, recipients_count: message_ids.length, status: 'accepted' })

export async function isOwn({ db }: Store, table: 'devices' | 'lines', user: string, id: string) {
  const own = await queries(db)
    .selectFrom(table)
    .where('id', '=', id)
    .where('user', '=', user)
    .executeTakeFirst()
  return own !== undefined
}

/** Throws 404 `device_not_found` for a device that is not the user's. */
export async function checkDevice(store: Store, user: string, id: string): Promise<void> {
  if (!(await isOwn(store, 'devices', user, id))) throw gatewayRefusal('device_not_found')
}

/** Maximum webhook calls that opted-out recipients of a send may cause: one transaction stores them all. */
const MAX_CALLS = 1_000
/** The limit on opted-out recipients ignores smaller sends: these cost about as much as any send. */
const MIN_RECIPIENTS = 20

/** Counts webhook calls for opted-out recipients. Throws 400 if the send, 429 if the user causes too many. */
async function chargeOptedOut({ db }: Pick<Store, 'db'>, user: string, phones: readonly string[]) {
  admission.optedOut.take(userHolder(user), 0)
  const { optedOut, webhooks } = await queries(db)
    .selectNoFrom([
      sql<number>`(select count(*) from contacts
        where "user" = ${user} and opted_out and phone = any(${phones}::text[]))`.as('optedOut'),
      sql<number>`(select count(*) from webhooks
        where "user" = ${user} and enabled and 'message.failed' = any(events))`.as('webhooks'),
    ])
    .executeTakeFirstOrThrow()
  if (optedOut * webhooks > MAX_CALLS)
    throw invalid(
      `${optedOut} recipients have opted out, and each causes ${webhooks} webhook calls. ` +
        `One send may cause ${MAX_CALLS}: leave them out, or send to fewer at once.`,
    )
  if (optedOut > 0) admission.optedOut.charge(userHolder(user), optedOut * Math.max(webhooks, 1))
}

/** Maps calling codes (ITU-T E.164) to the IANA time zone of nearly all their people, if there is one. */
const ZONES: Readonly<Record<string, string>> = zones

/** The time zone of an E.164 number by its calling code; '' if the code has several zones. */
export const zoneOfNumber = (phone: string): string =>
  ZONES[phone.slice(1, 4)] ?? ZONES[phone.slice(1, 3)] ?? ''

const MAX_KEY_LENGTH = 255
/** Printable ASCII, which an HTTP header can safely contain. */
const KEY = /^[\x21-\x7e][\x20-\x7e]*$/

/** The server keeps the answers of idempotency keys since then. */
const DAY_AGO = sql<Date>`now() - interval '24 hours'`

/** An idempotency key of the server itself. Begins with a space, so that no request can have the same. */
export const serverKey = (name: string): string => ` ${name}`

/** The Idempotency-Key header; null without one. Throws 400 for an invalid one. */
export function readIdempotencyKey(header: string | undefined): string | null {
  if (header === undefined) return null
  if (KEY.test(header) && header.length <= MAX_KEY_LENGTH) return header
  throw invalid(`Idempotency-Key must be 1 to ${MAX_KEY_LENGTH} printable ASCII characters`)
}

/** The Idempotency-Key header and a hash of the request; null without one. Throws 400 for an invalid key. */
export function readIdempotency(header: string | undefined, endpoint: string, body: unknown) {
  const key = readIdempotencyKey(header)
  if (key === null) return null
  const hash = createHash('sha256').update(`${endpoint} ${canonical(body)}`)
  return { key, fingerprint: hash.digest('base64url') }
}

function canonical(value: unknown) {
  return JSON.stringify(value, (_, part) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

/** The answer to the key's first request in 24 hours, or undefined. Throws 422 if that request differed. */
export async function firstAnswer(store: Store, user: string, { key, fingerprint }: Idempotency) {
  const first = await queries(store.db)
    .selectFrom('sms_idempotency')
    .select(['fingerprint', 'answer'])
    .where('user', '=', user)
    .where('key', '=', key)
    .where('created', '>', DAY_AGO)
    .executeTakeFirst()
  if (first && first.fingerprint !== fingerprint) throw gatewayRefusal('idempotency_key_reused')
  return first?.answer
}

/** Stores the answer for an idempotency key, unless the key has one from the last 24 hours. */
async function keepAnswer(store: Store, user: string, { key, fingerprint }: Idempotency, answer: string) {
  await queries(store.db)
    .insertInto('sms_idempotency')
    .values({ user, key, fingerprint, answer })
    .onConflict((found) =>
      found
        .columns(['user', 'key'])
        .doUpdateSet(({ ref }) => ({
          fingerprint: ref('excluded.fingerprint'),
          answer: ref('excluded.answer'),
          created: ref('excluded.created'),
        }))
        .where('sms_idempotency.created', '<=', DAY_AGO),
    )
    .execute()
}

export const deleteOldAnswers = ({ db }: Store) =>
  queries(db).deleteFrom('sms_idempotency').where('created', '<=', DAY_AGO).execute()
