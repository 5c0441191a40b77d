import type { Store } from '../../collections/catalog.ts'
import { objectsOf, type TableRow } from '../../db/statement.ts'
import { now } from '../../fields/date.ts'
import { findAllStored } from '../../files/stored-files.ts'
import { sendFile, sentFile } from '../../http/routes/files.ts'
import { deleteRecords } from '../../records/cascade.ts'
import { cancelMessage } from '../../sms/queue/cancel.ts'
import { redactCopies } from '../../sms/retention.ts'
import type { Origin } from '../../sms/send/body.ts'
import { may } from '../../sms/send/judge.ts'
import { logChanged, REASONS } from '../../sms/status.ts'
import { derivedId } from '../../tools/random.ts'
import type { Call } from './account.ts'
import { filterOf } from './message-filter.ts'
import { OWN_NUMBER } from './numbers.ts'
import {
  API_VERSION,
  accountPath,
  describePage,
  idOf,
  invalid,
  notFound,
  readPage,
  readRows,
  sidOf,
  TwilioRefusal,
  twilioDate,
} from './wire.ts'

type StatusColumns = Pick<TableRow<'sms_messages'>, 'status' | 'scheduled_at' | 'sent_at' | 'error_message'>

/** A status in Twilio's words, and Twilio's error code; null for no error. */
interface TwilioState {
  readonly status: string
  readonly errorCode: number | null
}

// Twilio's error codes: https://www.twilio.com/docs/api/errors
const UNREACHABLE = 30003
const UNKNOWN_NUMBER = 30005
const UNKNOWN_ERROR = 30008

/** Twilio's states of messages that this server ended, by `error_message`. */
const BY_REASON: Readonly<Record<string, TwilioState>> = {
  [REASONS.canceled]: { status: 'canceled', errorCode: null },
  [REASONS.optedOut]: { status: 'failed', errorCode: 21610 },
  [REASONS.expired]: { status: 'failed', errorCode: 30036 },
  [REASONS.silent]: { status: 'undelivered', errorCode: UNKNOWN_ERROR },
}

/** The status of a message in Twilio's words. `now`: a date in the stored form. */
export function twilioState(message: StatusColumns, now: string): TwilioState {
  const { status, scheduled_at, error_message } = message
  if (status === 'failed')
    return Object.hasOwn(BY_REASON, error_message) ? BY_REASON[error_message]! : failedState(message)
  if (status === 'pending') return { status: scheduled_at > now ? 'scheduled' : 'accepted', errorCode: null }
  return { status: status === 'assigned' ? 'queued' : status, errorCode: null }
}

/** The state of a failed message. If it was sent before, only its delivery failed: `undelivered`. */
function failedState({ sent_at, error_message }: StatusColumns): TwilioState {
  const status = sent_at === '' ? 'failed' : 'undelivered'
  if (/unknown|unassigned|unallocated/i.test(error_message) && /number|subscriber/i.test(error_message))
    return { status, errorCode: UNKNOWN_NUMBER }
  return { status, errorCode: sent_at === '' ? UNKNOWN_ERROR : UNREACHABLE }
}

/** The origin to store with a message from Twilio's API or a TwiML reply. `callback`: a URL, '' for none. */
export const originOf = (
  api_key: string,
  callback: string,
  data: { readonly service?: boolean; readonly reply?: boolean },
): Origin => ({
  api: 'twilio',
  id: '',
  data: { ...data, ...(callback && { callback: { url: callback, api_key } }) },
})

const COLUMNS = [
  ...(['id', 'status', 'to', 'from', 'body', 'message_type', 'segments', 'scheduled_at', 'sent_at'] as const),
  ...(['delivered_at', 'error_message', 'created', 'updated', 'attachments'] as const),
]
export interface MessageRow extends Pick<TableRow<'sms_messages'>, (typeof COLUMNS)[number]> {
  /** The account's own number, of the message's line or device; '' for none. */
  readonly own_number: string
  readonly service: boolean
  readonly reply: boolean
}

/** SQL that reads messages, `m`, with their device `d` and their origin `o`. */
const MESSAGE_SQL = `
select ${COLUMNS.map((name) => `m."${name}"`).join(', ')}, ${OWN_NUMBER} as own_number,
  coalesce(o.data ->> 'service' = 'true', false) as service, coalesce(o.data ->> 'reply' = 'true', false) as reply
from sms_messages m left join devices d on d.id = m.device left join sms_origins o on o.ref = m.id`

const FIND = `${MESSAGE_SQL} where m.id = $1 and m."user" || '' = $2`

/** A user's message by its SID. Throws 404. */
export async function findMessage({ db }: Pick<Store, 'db'>, user: string, sid: string): Promise<MessageRow> {
  const id = idOf('SM', sid)
  const [message] = id ? objectsOf<MessageRow>(await db.query(FIND, [id, user], 'twilio message')) : []
  if (!message) throw notFound()
  return message
}

export const fetchMessage = async ({ store, user, sid }: Call) =>
  renderMessage(await findMessage(store, user, sid), user)

export function renderMessage(row: MessageRow, user: string) {
  const isIncoming = row.message_type === 'incoming'
  const { status, errorCode } = twilioState(row, now())
  const [sid, account_sid] = [sidOf('SM', row.id), sidOf('AC', user)]
  const path = `${accountPath(user)}/Messages/${sid}`
  return {
    sid,
    account_sid,
    api_version: API_VERSION,
    body: row.body,
    date_created: twilioDate(row.created),
    date_updated: twilioDate(row.updated),
    date_sent: twilioDate(isIncoming ? row.delivered_at : row.sent_at),
    direction: isIncoming ? 'inbound' : row.reply ? 'outbound-reply' : 'outbound-api',
    error_code: errorCode,
    error_message: errorCode === null ? null : row.error_message,
    from: (isIncoming ? row.from : row.own_number) || null,
    to: isIncoming ? row.own_number : row.to,
    messaging_service_sid: row.service ? sidOf('MG', user) : null,
    num_media: String(row.attachments.length),
    num_segments: String(row.segments),
    price: null,
    price_unit: null,
    status,
    subresource_uris: { media: `${path}/Media.json` },
    uri: `${path}.json`,
  }
}

/** A page of the user's messages, newest first. Throws TwilioRefusal 20001 (filter), 21481 (page token). */
export async function listMessages(call: Call) {
  const { store, user, parameters } = call
  const request = readPage(parameters, 'SM')
  const values: unknown[] = [user]
  const filter = await filterOf(call, (value) => `$${values.push(value)}`)
  const sql = [`${MESSAGE_SQL} where m."user" = $1`, ...filter].join(' and ')
  const path = `${accountPath(user)}/Messages.json`
  const table = ['sms_messages', 'm'] as const
  const { rows, page } = await readRows<MessageRow>(store.db, path, table, sql, values, request)
  return { ...page, messages: rows.map((row) => renderMessage(row, user)) }
}

/** SQL: the message was sent or is in a final status. Only then can it be redacted or deleted. */
const IS_OVER = `m.status || '' in ('sent', 'delivered', 'failed', 'received')`

/**
 * Cancels a message, removes its text and files (in stored webhook deliveries, too), or does both. Throws
 * 404, TwilioRefusal 20001 for wrong parameters, 30409 if too late to cancel, 20009 if too early to remove.
 */
export async function changeMessage(call: Call) {
  const { store, user, sid, parameters } = call
  const { id } = await findMessage(store, user, sid)
  const [status, body] = [parameters.get('Status') ?? '', parameters.get('Body')]
  if (status !== '' && status !== 'canceled') throw invalid("Status can be 'canceled' only")
  if (body !== undefined && body !== '') throw invalid('Body can only be made empty')
  if (status === '' && body === undefined) throw invalid('Body or Status is required')
  if (status !== '') await cancelMessage(store, may(call, 'cancel'), id)
  if (body !== undefined)
    await ifOver(store, REDACT, [id, user], async (inside) =>
      logChanged(inside, 'conversations', 'update', await redactCopies(inside.db, [id])),
    )
  return fetchMessage(call)
}

const REDACT = `
update sms_messages m set body = '', attachments = '{}', updated = pb_text(now())
where m.id = $1 and m."user" || '' = $2 and ${IS_OVER} returning m.id`

const LOCK = `select m.id from sms_messages m where m.id = $1 and m."user" || '' = $2 and ${IS_OVER} for update`

/** Deletes a message. Throws 404, and TwilioRefusal 20009 for a message that still waits. */
export async function deleteMessage({ services, store, user, sid }: Call): Promise<void> {
  const { id } = await findMessage(store, user, sid)
  const messages = store.catalog.find('sms_messages')!
  const remove = (inside: Store) => deleteRecords(inside, services.extensions, messages, [id])
  await ifOver(store, LOCK, [id, user], remove)
}

/** Runs `sql` and then `work` in a transaction. Throws TwilioRefusal 20009 if `sql` finds no message. */
const ifOver = (store: Store, sql: string, values: string[], work: (inside: Store) => Promise<unknown>) =>
  store.db.transaction(async (db) => {
    const { rows } = await db.query(sql, values)
    if (rows[0]) return work({ db, catalog: store.catalog })
    throw new TwilioRefusal(20009, 'The message is not over yet: its text stays until it is sent')
  })

/** The SID of a file, from its name, which is unique within a message. */
const mediumSid = (name: string) => sidOf('ME', derivedId(name))

export const mediaPath = (user: string, message: string, name: string): string =>
  `${accountPath(user)}/Messages/${sidOf('SM', message)}/Media/${mediumSid(name)}`

async function mediaOf({ db }: Store, user: string, messageSid: string) {
  const { id, created, updated, attachments } = await findMessage({ db }, user, messageSid)
  const files = await findAllStored(db, { collection: 'sms_messages', record: id }, attachments)
  return files.map((file) => ({
    file,
    medium: {
      sid: mediumSid(file.name),
      account_sid: sidOf('AC', user),
      parent_sid: sidOf('SM', id),
      content_type: file.type,
      date_created: twilioDate(created),
      date_updated: twilioDate(updated),
      uri: `${mediaPath(user, id, file.name)}.json`,
    },
  }))
}

/** All files of a message on one page. Throws 404 for a message that is not the user's. */
export async function listMedia({ store, user, sid, parameters }: Call) {
  const media = await mediaOf(store, user, sid)
  const path = `${accountPath(user)}/Messages/${sid}/Media.json`
  const content = { ids: media.map(({ file }) => derivedId(file.name)), hasOlder: false, hasNewer: false }
  return {
    ...describePage(path, readPage(parameters, 'ME'), content),
    media_list: media.map(({ medium }) => medium),
  }
}

async function findMedium({ c, store, user, sid }: Call) {
  const media = await mediaOf(store, user, c.req.param('MessageSid')!)
  const found = media.find(({ medium }) => medium.sid === sid)
  if (!found) throw notFound()
  return found
}

/** Describes a file of a message, without its content. Throws 404. */
export const fetchMedium = async (call: Call) => (await findMedium(call)).medium

/** Answers with a file of a message, as `/api/files` does. Throws 404. */
export async function sendMedium(call: Call): Promise<Response> {
  const { file } = await findMedium(call)
  return sendFile(call.c, sentFile(call.store.db, file), file.name)
}
