import { z } from 'zod'
import type { Store } from '../../../collections/catalog.ts'
import { invalid } from '../../../sms/send/refusal.ts'
import { DATA_URL } from '../../smsgate/wire.ts'
import type { Page } from '../list-messages.ts'
import { isoDate } from '../message-state.ts'
import { dateIn, deviceIn, numberIn, type Query } from '../query.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 500

const TYPES = ['SMS', 'DATA_SMS', 'MMS', 'MMS_DOWNLOADED'] as const

/** An incoming text as SMSGate's clients read it. */
export const INBOX_MESSAGE = z
  .object({
    id: z.string(),
    type: z.enum(['SMS', 'DATA_SMS']),
    sender: z.string(),
    recipient: z.string().optional(),
    simNumber: z.int().optional(),
    contentPreview: z.string().describe('The whole text.'),
    createdAt: z.string(),
  })
  .meta({ id: 'SmsgateInboxMessage' })

/** Filters and page of a list of incoming texts; '' for no filter. 400 names the first wrong parameter. */
export function readInboxQuery(query: Query) {
  const { type = '' } = query
  if (type && !TYPES.some((known) => known === type)) throw invalid(`type must be one of ${TYPES.join(', ')}`)
  const device = deviceIn(query)
  const [from, to] = [dateIn(query, 'from'), dateIn(query, 'to')]
  if (from && to && from > to) throw invalid('from must not be after to')
  const limit = numberIn(query, 'limit') ?? DEFAULT_LIMIT
  if (limit < 1 || limit > MAX_LIMIT) throw invalid(`limit must be a whole number from 1 to ${MAX_LIMIT}`)
  const offset = numberIn(query, 'offset') ?? 0
  if (offset < 0) throw invalid('offset must not be negative')
  return { type, from, to, device, limit, offset }
}

/** SQL conditions, for the index sms_messages_inbox. */
const MATCHING = `
  m."user" = $1 and m.message_type = 'incoming' and ($2 = '' or m.delivered_at >= $2) and ($3 = '' or m.delivered_at < $3)
  and ($4 = '' or m.device = $4) and ($5 = '' or starts_with(m.body, '${DATA_URL}') = ($5 = 'DATA_SMS'))`

const LIST = `
select m.id, m."from", m."to", m.sim, m.body, m.delivered_at from sms_messages m where ${MATCHING}
order by m.delivered_at desc, m.id desc limit $6 offset $7`

const COUNT = `select count(*) from sms_messages m where ${MATCHING}`

/** Incoming texts of a user, newest first. None has a type of MMS: an MMS is stored as a text. */
export async function listInbox(
  { db }: Store,
  user: string,
  query: ReturnType<typeof readInboxQuery>,
): Promise<Page<z.output<typeof INBOX_MESSAGE>>> {
  if (query.type.startsWith('MMS')) return { total: 0, items: [] }
  const params = [user, query.from, query.to, query.device, query.type]
  const counted = await db.shaped(COUNT, params)
  const { rows } = await db.shaped(LIST, [...params, query.limit, query.offset])
  return { total: Number(counted.rows[0]![0]), items: rows.map((row) => toInboxMessage(row as InboxRow)) }
}

type InboxRow = [id: string, from: string, to: string, sim: number, body: string, at: string]

const toInboxMessage = ([id, sender, recipient, sim, contentPreview, at]: InboxRow): z.output<
  typeof INBOX_MESSAGE
> => ({
  id,
  type: contentPreview.startsWith(DATA_URL) ? 'DATA_SMS' : 'SMS',
  sender,
  ...(recipient && { recipient }),
  ...(sim > 0 && { simNumber: sim }),
  contentPreview,
  createdAt: isoDate(at),
})
