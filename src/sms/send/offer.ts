import { admission } from '../../admission/admission.ts'
import { type Store, userHolder } from '../../collections/catalog.ts'
import { MAX_OF_AGENT } from '../../portable/agents.ts'
import { randomId } from '../../tools/random.ts'
import type { Origin, SendBody, SendOptions } from './body.ts'
import { allRecipients, plainText, writeTexts } from './content.ts'
import { SEALED, sealText, shownText } from './sealed.ts'
import { gatewayRefusal, invalid, type Sender } from './shape.ts'
import zones from './time-zones.json' with { type: 'json' }

/** Identifies a request, so that a repeat is not sent twice. */
export interface Idempotency {
  readonly key: string
  readonly fingerprint: string
}

/** A request that passed its checks, as `sms_accept` takes it. In the options, '' is unset. */
export interface Offer extends Omit<SendOptions, 'origin'> {
  readonly sender: Sender
  readonly device?: string | undefined
  /** The line that the request named, by its id. */
  readonly line?: string | undefined
  /** The line that the request named, by its number. */
  readonly from?: string | undefined
  /** The send is scheduled for later: no device is chosen yet. */
  readonly later?: boolean
  readonly batch?: string | undefined
  /** The text of messages that have no text of their own. */
  readonly body?: string | undefined
  /** What devices send instead of `body`, encrypted. */
  readonly sealed?: string | undefined
  readonly idempotency?: Idempotency | undefined
  /** The JSON of ACCEPTED, which is kept for the idempotency key. */
  readonly answer?: string
  /** Set for sends by another API. `ref`: the message or batch. */
  readonly origin?: (Origin & { readonly ref: string }) | undefined
  readonly messages: readonly OfferedMessage[]
}

/** One message of an offer. Without `body`, it has the offer's text. */
export interface OfferedMessage {
  readonly id: string
  readonly to: string
  readonly body?: string
  readonly segments: number
  /** The time zone of the quiet hours to respect; '' for the account's; absent: none. */
  readonly zone?: string
}

/** A new message. `isShared`: its text is the offer's; `keepsQuiet`: it waits during quiet hours. */
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

/** Finds the recipients of a checked body and writes their texts. Throws 400, 404, 429. */
export async function prepareOffer(
  store: Store,
  maxRecipients: number,
  sender: Sender,
  body: SendBody,
  idempotency?: Idempotency | null,
): Promise<Offer> {
  const { content, deviceId, line, options } = body
  const max = sender.isAgent ? Math.min(maxRecipients, MAX_OF_AGENT) : maxRecipients
  const phones = await allRecipients(store, sender.user, body, max)
  await chargeOptedOut(store, sender.user, phones)
  const shared = plainText(content)
  const shown = shownText(content)
  // check the device before the template; for a plain text, the accepting statement checks the device
  if (deviceId !== '' && shared === undefined) await checkDevice(store, sender.user, deviceId)
  const texts = await writeTexts(store, sender.user, content, phones)
  if (options.clientRef !== '' && texts.length > 1) throw invalid('client_ref can name one message only')
  const messages = texts.map((text) => offeredMessage(text, shared !== undefined, options.keepsQuiet))
  const batch = messages.length > 1 ? randomId() : ''
  const ids = messages.map(({ id }) => id)
  const ref = batch || ids[0]!
  const origin = shown === undefined ? options.origin : SEALED
  return {
    ...options,
    sender,
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

export const answerJson = (batch_id: string, message_ids: readonly string[]): string =>
  JSON.stringify({ batch_id, message_ids, recipients_count: message_ids.length, status: 'accepted' })

/** Whether the record with this id belongs to the user. */
export async function isOwn({ db }: Store, table: 'devices' | 'lines', user: string, id: string) {
  const sql = `select 1 from ${table} where id = $1 and "user" = $2`
  return (await db.query(sql, [id, user], `sms own ${table}`)).rows.length > 0
}

/** Throws 404 `device_not_found` for a device that is not the user's. */
export async function checkDevice(store: Store, user: string, id: string): Promise<void> {
  if (!(await isOwn(store, 'devices', user, id))) throw gatewayRefusal('device_not_found')
}

/** Maximum webhook calls caused by a send's opted-out recipients: all are stored in one transaction. */
const MAX_CALLS = 1_000
/** Sends to fewer recipients are not charged: they cost about as much as an ordinary send. */
const MIN_RECIPIENTS = 20

const COUNT = `select
  (select count(*) from contacts where "user" = $1 and opted_out and phone = any($2::text[])),
  (select count(*) from webhooks where "user" = $1 and enabled and 'message.failed' = any(events))`

/** Charges each webhook call that opted-out recipients cause. Throws 429, 400 for too many in one send. */
export async function chargeOptedOut({ db }: Pick<Store, 'db'>, user: string, phones: readonly string[]) {
  if (phones.length < MIN_RECIPIENTS) return
  admission.optedOut.take(userHolder(user), 0)
  const { rows } = await db.query(COUNT, [user, phones], 'sms opted out of send')
  const [optedOut, webhooks] = rows[0]!.map(Number) as [number, number]
  if (optedOut * webhooks > MAX_CALLS)
    throw invalid(
      `${optedOut} recipients have opted out, and each causes ${webhooks} webhook calls. ` +
        `One send may cause ${MAX_CALLS}: leave them out, or send to fewer at once.`,
    )
  if (optedOut > 0) admission.optedOut.charge(userHolder(user), optedOut * Math.max(webhooks, 1))
}

/** Time zones by calling code, if nearly all its people have one zone. ITU-T E.164 list, IANA tz database. */
const ZONES: Readonly<Record<string, string>> = zones

/** The time zone of an E.164 number by its calling code; '' if the code has several. */
export const zoneOfNumber = (phone: string): string =>
  ZONES[phone.slice(1, 4)] ?? ZONES[phone.slice(1, 3)] ?? ''
