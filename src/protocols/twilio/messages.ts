import type { Store } from '../../engine/collections/catalog.ts'
import { formatNow } from '../../engine/fields/parse-date.ts'
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
  ...([
    'id',
    'status',
    'to',
    'from',
    'body',
    'message_type',
    'segments',
    'scheduled_at',
    'sent_at',
  ] as const),
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
export async function findMessage(
  { db }: Pick<Store, 'db'>,
  user: string,
  sid: string,
): Promise<MessageRow> {
  const id = parseSid('SM', sid)
  const [message] = id
    ? toObjects<MessageRow>(await db.query(FIND, [id, user], 'twilio message'))
    : []
  if (!message) throw makeNotFoundError()
  return message
}

export const fetchMessage = async ({ store, user, sid }: Call) =>
  renderMessage(await findMessage(store, user, sid), user)

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

/** A page of the user's messages, newest first. Throws TwilioRefusal 20001 (filter), 21481 (page token). */
export async function listMessages(call: Call) {
  const { store, user, parameters } = call
  const request = readPageRequest(parameters, 'SM')
  const values: unknown[] = [user]
  const filter = await writeMessageFilter(call, (value) => `$${values.push(value)}`)
  const sql = [`${MESSAGE_SQL} where m."user" = $1`, ...filter].join(' and ')
  const path = `${makeAccountPath(user)}/Messages.json`
  const table = ['sms_messages', 'm'] as const
  const { rows, page } = await readRows<MessageRow>(store.db, path, table, sql, values, request)
  return { ...page, messages: rows.map((row) => renderMessage(row, user)) }
}
