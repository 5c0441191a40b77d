import type { Store } from '../../../collections/catalog.ts'
import { objectsOf, type TableRow } from '../../../db/statement.ts'
import { now } from '../../../fields/types/date.ts'
import type { Origin } from '../../../sms/send/body.ts'
import { REASONS } from '../../../sms/status/status.ts'
import { OWN_NUMBER } from '../numbers/number.ts'
import { API_VERSION, accountPath, idOf, notFound, sidOf, twilioDate } from '../refusal.ts'

type StatusColumns = Pick<TableRow<'sms_messages'>, 'status' | 'scheduled_at' | 'sent_at' | 'error_message'>

/** A status, and Twilio's number of the error; null for none. */
interface TwilioState {
  readonly status: string
  readonly errorCode: number | null
}

// https://www.twilio.com/docs/api/errors
const UNREACHABLE = 30003
const UNKNOWN_NUMBER = 30005
const UNKNOWN_ERROR = 30008

/** The states of messages that the gateway itself ended, by its reasons. */
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

/** The state of a message that failed: once it was sent, only its delivery can have failed. */
function failedState({ sent_at, error_message }: StatusColumns): TwilioState {
  const status = sent_at === '' ? 'failed' : 'undelivered'
  if (/unknown|unassigned|unallocated/i.test(error_message) && /number|subscriber/i.test(error_message))
    return { status, errorCode: UNKNOWN_NUMBER }
  return { status, errorCode: sent_at === '' ? UNKNOWN_ERROR : UNREACHABLE }
}

/** The origin of a message that came by this API, or as an answer to its call. `callback`: '' for none. */
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
  /** The number of its line or device, '' for none. */
  readonly own_number: string
  readonly service: boolean
  readonly reply: boolean
}

/** SQL that reads messages, `m`, with their device `d` and their origin `o`. */
export const MESSAGE_SQL = `
select ${COLUMNS.map((name) => `m."${name}"`).join(', ')}, ${OWN_NUMBER} as own_number,
  coalesce(o.data ->> 'service' = 'true', false) as service, coalesce(o.data ->> 'reply' = 'true', false) as reply
from sms_messages m left join devices d on d.id = m.device left join sms_origins o on o.ref = m.id`

const FIND = `${MESSAGE_SQL} where m.id = $1 and m."user" || '' = $2`

/** The message of a user with this SID. Throws 404. */
export async function findMessage({ db }: Pick<Store, 'db'>, user: string, sid: string): Promise<MessageRow> {
  const id = idOf('SM', sid)
  const [message] = id ? objectsOf<MessageRow>(await db.query(FIND, [id, user], 'twilio message')) : []
  if (!message) throw notFound()
  return message
}

/** A message of a user as Twilio's API has it. */
export function renderMessage(row: MessageRow, user: string) {
  const isIncoming = row.message_type === 'incoming'
  const { status, errorCode } = twilioState(row, now())
  const [sid, account_sid] = [sidOf('SM', row.id), sidOf('AC', user)]
  const path = `${accountPath(account_sid)}/Messages/${sid}`
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
