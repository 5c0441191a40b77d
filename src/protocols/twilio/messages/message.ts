import { z } from 'zod'
import type { Store } from '../../../collections/catalog.ts'
import { now } from '../../../fields/types/date.ts'
import type { Origin } from '../../../sms/send/body.ts'
import { twilioDate } from '../date.ts'
import { OWN_NUMBER } from '../numbers/own-number.ts'
import { notFound } from '../refusal.ts'
import { idOf, sidOf } from '../sid.ts'
import { type StatusColumns, TWILIO_STATUSES, twilioState } from './status.ts'

/** The version of Twilio's API, which its paths begin with. */
export const API_VERSION = '2010-04-01'

const date = z.string().nullable().describe('RFC 2822, in UTC.')

/** A message as Twilio's API has it. */
export const MESSAGE = z
  .strictObject({
    sid: z.string(),
    account_sid: z.string(),
    api_version: z.literal(API_VERSION),
    body: z.string().describe('Empty once it was redacted.'),
    date_created: date,
    date_updated: date,
    date_sent: date,
    direction: z.enum(['inbound', 'outbound-api', 'outbound-reply']),
    error_code: z.int().nullable(),
    error_message: z.string().nullable(),
    from: z.string().nullable(),
    to: z.string(),
    messaging_service_sid: z.string().nullable(),
    num_media: z.literal('0'),
    num_segments: z.string(),
    price: z.null(),
    price_unit: z.null(),
    status: z.enum(TWILIO_STATUSES),
    subresource_uris: z.strictObject({ media: z.string() }),
    uri: z.string(),
  })
  .meta({ id: 'TwilioMessage' })
export type Message = Readonly<z.output<typeof MESSAGE>>

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

/** A row of `MESSAGE_SQL`. */
export interface MessageRow extends StatusColumns {
  readonly id: string
  readonly to: string
  readonly from: string
  readonly body: string
  readonly message_type: string
  readonly segments: number
  readonly delivered_at: string
  readonly created: string
  readonly updated: string
  /** The number of its line or device, '' for none. */
  readonly own_number: string
  readonly service: boolean
  readonly reply: boolean
}

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
] as const

/** SQL that reads messages, `m`, with their device `d` and their origin `o`. */
export const MESSAGE_SQL = `
select ${COLUMNS.map((name) => `m."${name}"`).join(', ')}, ${OWN_NUMBER}, coalesce(o.data ->> 'service' = 'true', false),
  coalesce(o.data ->> 'reply' = 'true', false)
from sms_messages m left join devices d on d.id = m.device left join sms_origins o on o.ref = m.id`

/** A row as it was read, by name. */
export const messageRow = (row: readonly unknown[]): MessageRow =>
  Object.fromEntries(
    [...COLUMNS, 'own_number', 'service', 'reply'].map((name, i) => [name, row[i]]),
  ) as unknown as MessageRow

const FIND = `${MESSAGE_SQL} where m.id = $1 and m."user" || '' = $2`

/** The message of a user with this SID. Throws 404. */
export async function findMessage({ db }: Pick<Store, 'db'>, user: string, sid: string): Promise<MessageRow> {
  const id = idOf('SM', sid)
  const { rows } = id ? await db.query(FIND, [id, user], 'twilio message') : { rows: [] }
  if (!rows[0]) throw notFound()
  return messageRow(rows[0])
}

/** The path of an account, without `.json`. */
export const accountPath = (accountSid: string) => `/${API_VERSION}/Accounts/${accountSid}`

/** A message of a user as Twilio's API has it. */
export function renderMessage(row: MessageRow, user: string): Message {
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
    num_media: '0',
    num_segments: String(row.segments),
    price: null,
    price_unit: null,
    status,
    subresource_uris: { media: `${path}/Media.json` },
    uri: `${path}.json`,
  }
}
