import type { Store } from '../../engine/collections/catalog.ts'
import { formatNow } from '../../engine/fields/parse-date.ts'
import { findOwnTextsKey } from '../../gateway/base/permissions.ts'
import type { SendOrigin } from '../../gateway/messages/send/send-options.ts'
import { type TableRow, toObjects } from '../../platform/db/execute-statement.ts'
import { formatTwilioDate } from './dates.ts'
import type { Call } from './identify-account.ts'
import { readPageRequest, readRows } from './list-pages.ts'
import { writeMessageFilter } from './message-filter.ts'
import { OWN_NUMBER } from './own-twilio-number.ts'
import { API_VERSION, makeAccountPath, makeSid, parseSid } from './sids.ts'
import { makeNotFoundError } from './twilio-errors.ts'
import { toTwilioState } from './twilio-status.ts'

/** The origin to store with a message from Twilio's API or a TwiML reply. `callback`: a URL, '' for none. */
export const makeTwilioOrigin = (
  api_key: string,
  callback: string,
  data: { readonly service?: boolean; readonly reply?: boolean },
): SendOrigin => ({
  api: 'twilio',
  id: '',
  data: { ...data, ...(callback && { callback: { url: callback, api_key } }) },
})

const COLUMNS = [
  'id',
  'status',
  'to',
  'from',
  'body',
  'message_type',
  'segments',
  'scheduled_at',
  'sent_at',
  'delivered_at',
  'error_message',
  'created',
  'updated',
  'attachments',
] as const

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

/** SQL: the message was received, or sent by the API key that a place names. */
const isSeenBy = (key: string) => `(m.message_type = 'incoming' or m.sent_by = ${key})`

const FIND = `${MESSAGE_SQL} where m.id = $1 and m."user" || '' = $2 and ($3 = '' or ${isSeenBy('$3')})`

/** A user's message by its SID. `key`: the API key that must have sent it, '' for any. Throws 404. */
export async function findMessage(
  { db }: Pick<Store, 'db'>,
  user: string,
  sid: string,
  key: string,
): Promise<MessageRow> {
  const id = parseSid('SM', sid)
  const [message] = id
    ? toObjects<MessageRow>(await db.lookUp(FIND, [id, user, key], 'twilio message'))
    : []
  if (!message) throw makeNotFoundError()
  return message
}

/** A message that the caller may see, by its SID. Throws 404. */
export const requireMessage = (call: Call, sid: string): Promise<MessageRow> =>
  findMessage(call.store, call.user, sid, findOwnTextsKey(call) ?? '')

export const fetchMessage = async (call: Call) =>
  renderMessage(await requireMessage(call, call.sid), call.user)

export function renderMessage(row: MessageRow, user: string) {
  const isIncoming = row.message_type === 'incoming'
  const { status, errorCode } = toTwilioState(row, formatNow())
  const [sid, account_sid] = [makeSid('SM', row.id), makeSid('AC', user)]
  const path = `${makeAccountPath(user)}/Messages/${sid}`
  return {
    sid,
    account_sid,
    api_version: API_VERSION,
    body: row.body,
    date_created: formatTwilioDate(row.created),
    date_updated: formatTwilioDate(row.updated),
    date_sent: formatTwilioDate(isIncoming ? row.delivered_at : row.sent_at),
    direction: isIncoming ? 'inbound' : row.reply ? 'outbound-reply' : 'outbound-api',
    error_code: errorCode,
    error_message: errorCode === null ? null : row.error_message,
    from: (isIncoming ? row.from : row.own_number) || null,
    to: isIncoming ? row.own_number : row.to,
    messaging_service_sid: row.service ? makeSid('MG', user) : null,
    num_media: String(row.attachments.length),
    num_segments: String(row.segments),
    price: null,
    price_unit: null,
    status,
    subresource_uris: { media: `${path}/Media.json` },
    uri: `${path}.json`,
  }
}

/**
 * A page of the messages that the caller may see, newest first. Throws TwilioRefusal 20001 (filter), 21481
 * (page token).
 */
export async function listMessages(call: Call) {
  const { store, user, parameters } = call
  const request = readPageRequest(parameters, 'SM')
  const values: unknown[] = [user]
  const bind = (value: unknown) => `$${values.push(value)}`
  const key = findOwnTextsKey(call)
  const filter = [...(key ? [isSeenBy(bind(key))] : []), ...(await writeMessageFilter(call, bind))]
  const sql = [`${MESSAGE_SQL} where m."user" = $1`, ...filter].join(' and ')
  const path = `${makeAccountPath(user)}/Messages.json`
  const table = ['sms_messages', 'm'] as const
  const { rows, page } = await readRows<MessageRow>(store.db, path, table, sql, values, request)
  return { ...page, messages: rows.map((row) => renderMessage(row, user)) }
}
