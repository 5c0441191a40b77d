import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { findStoredFiles } from '../../engine/files/stored-files.ts'
import { toSentFile } from '../../http/routes/files.ts'
import { sendFile } from '../../http/routes/send-file.ts'
import { GatewayError } from '../../platform/api-errors.ts'
import { toObjects } from '../../platform/db/execute-statement.ts'
import { queries, writeUnindexed } from '../../platform/db/queries.ts'
import { DATA_URL } from '../../portable/data-url.ts'
import type { Call } from './define-route.ts'
import { queryDate, queryDevice, queryNumber, toIsoDate } from './smsgate-values.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 500

const TYPES = ['SMS', 'DATA_SMS', 'MMS', 'MMS_DOWNLOADED'] as const

/** The query of a list of incoming texts. A filter that is '' has no effect. */
export const INBOX_QUERY = z
  .object({
    type: z.enum(['', ...TYPES], `must be one of ${TYPES.join(', ')}`).default(''),
    from: queryDate,
    to: queryDate,
    deviceId: queryDevice,
    limit: queryNumber
      .refine(
        (limit) => limit >= 1 && limit <= MAX_LIMIT,
        `must be a whole number from 1 to ${MAX_LIMIT}`,
      )
      .default(DEFAULT_LIMIT),
    offset: queryNumber.refine((offset) => offset >= 0, 'must not be negative').default(0),
  })
  .refine(({ from, to }) => !from || !to || from <= to, {
    path: ['from'],
    error: 'must not be after to',
  })

/** SQL: SMSGate's type of the text `m`. A text with attachments is an MMS. */
const TYPE = `case when m.attachments <> '{}' then 'MMS_DOWNLOADED' when starts_with(m.body, '${DATA_URL}') then 'DATA_SMS'
  else 'SMS' end`

const ATTACHMENTS = `(
  select json_agg(json_build_object('partId', n.i, 'name', n.name, 'size', f.size, 'contentType', f.type) order by n.i)
  from unnest(m.attachments) with ordinality n(name, i)
  join _files f on f.collection = 'sms_messages' and f.record = m.id and f.name = n.name and f.thumb = '')::text`

/** SQL: the conditions of a list. User and type, the first two, match the index sms_messages_incoming. */
const MATCHING = `
  m."user" = $1 and m.message_type = 'incoming' and ($2 = '' or m.delivered_at >= $2) and ($3 = '' or m.delivered_at < $3)
  and ($4 = '' or m.device = $4) and ($5 = '' or $5 = ${TYPE})`

const LIST = `
select m.id, ${TYPE} as type, m."from" as sender, m."to" as recipient, m.sim as "simNumber", m.body as "contentPreview",
  m.delivered_at as "createdAt", case when m.attachments <> '{}' then ${ATTACHMENTS} end as attachments
from sms_messages m where ${MATCHING}
order by m.delivered_at desc, m.id desc limit $6 offset $7`

const TOTAL = `select count(*) from sms_messages m where ${MATCHING}`

/** A page of a user's incoming texts, newest first. MMS announcements (type `MMS`) are not stored. */
export async function listInbox({ db }: Store, user: string, query: z.output<typeof INBOX_QUERY>) {
  if (query.type === 'MMS') return { total: 0, items: [] }
  const params = [user, query.from, query.to, query.deviceId, query.type]
  const counted = await db.shaped(TOTAL, params)
  const found = await db.shaped(LIST, [...params, query.limit, query.offset])
  return {
    total: Number(counted.rows[0]![0]),
    items: toObjects<InboxRow>(found).map(toInboxMessage),
  }
}

interface InboxRow extends Readonly<Record<'id' | 'type' | 'sender' | 'contentPreview', string>> {
  readonly recipient: string
  readonly simNumber: number
  readonly createdAt: string
  readonly attachments: string | null
}

/** An incoming text as SMSGate's clients read it. The preview is the whole text. */
const toInboxMessage = ({ recipient, simNumber, createdAt, attachments, ...row }: InboxRow) => ({
  ...row,
  ...(recipient && { recipient }),
  ...(simNumber && { simNumber }),
  createdAt: toIsoDate(createdAt),
  ...(attachments && { attachments: JSON.parse(attachments) }),
})

/**
 * Answers with a file of an incoming text. The path has the file's number in that text, from 1. Throws 404.
 */
export async function sendAttachment({ c, store, user }: Call): Promise<Response> {
  const { id = '', part = '' } = c.req.param()
  const text = await queries(store.db)
    .selectFrom('sms_messages')
    .select('attachments')
    .where('id', '=', id)
    .where('message_type', '=', 'incoming')
    .where(writeUnindexed('user'), '=', user)
    .executeTakeFirst()
  const name = text?.attachments[Number(part) - 1]
  const [file] = await findStoredFiles(
    store.db,
    { collection: 'sms_messages', record: id },
    name ? [name] : [],
  )
  if (!file) throw new GatewayError(404, { message: 'There is no such attachment' })
  return sendFile(c, toSentFile(store.db, file), file.name)
}
