import { z } from 'zod'
import { findStoredFiles } from '../../engine/files/stored-files.ts'
import { findRecords, type ListCaller } from '../../gateway/base/find-records.ts'
import { findFilesOfTexts } from '../../gateway/base/message-files.ts'
import { sendStoredFile } from '../../http/routes/files.ts'
import { GatewayError } from '../../platform/api-errors.ts'
import type { TableRow } from '../../platform/db/execute-statement.ts'
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

/** SMSGate's types of incoming texts as filters. A text with attachments is an MMS; `MMS` are not stored. */
const OF_TYPE = {
  '': '',
  SMS: `attachments:length = 0 && body !~ "${DATA_URL}%"`,
  DATA_SMS: `attachments:length = 0 && body ~ "${DATA_URL}%"`,
  MMS_DOWNLOADED: 'attachments:length > 0',
}

type InboxText = Pick<
  TableRow<'sms_messages'>,
  'id' | 'from' | 'to' | 'sim' | 'body' | 'delivered_at' | 'attachments'
>

/** A page of a user's incoming texts, newest first. */
export async function listInbox(
  caller: ListCaller,
  { type, from, to, deviceId, limit, offset }: z.output<typeof INBOX_QUERY>,
) {
  if (type === 'MMS') return { total: 0, items: [] }
  const conditions = [
    'message_type = "incoming"',
    from && `delivered_at >= "${from}"`,
    to && `delivered_at < "${to}"`,
    deviceId && `device = ${JSON.stringify(deviceId)}`,
    OF_TYPE[type],
  ]
  const filter = conditions.filter((one) => one !== '').join(' && ')
  const part = { filter, sort: '-delivered_at,-id', limit, offset }
  const { total, records } = await findRecords(caller, 'sms_messages', part)
  const texts = records as unknown as readonly InboxText[]
  const ids = texts.flatMap(({ id, attachments }) => (attachments.length > 0 ? [id] : []))
  const files = await findFilesOfTexts(caller.store.db, ids)
  return { total, items: texts.map((text) => toInboxMessage(text, files)) }
}

/** An incoming text as SMSGate's clients read it. The preview is the whole text. */
function toInboxMessage(
  { id, from, to, sim, body, delivered_at, attachments }: InboxText,
  files: Awaited<ReturnType<typeof findFilesOfTexts>>,
) {
  const isMms = attachments.length > 0
  const parts = attachments.flatMap((name, i) => {
    const file = files.get(`${id}/${name}`)
    return file ? [{ partId: i + 1, name, size: file.size, contentType: file.type }] : []
  })
  return {
    id,
    type: isMms ? 'MMS_DOWNLOADED' : body.startsWith(DATA_URL) ? 'DATA_SMS' : 'SMS',
    sender: from,
    contentPreview: body,
    ...(to && { recipient: to }),
    ...(sim && { simNumber: sim }),
    createdAt: toIsoDate(delivered_at),
    ...(parts.length > 0 && { attachments: parts }),
  }
}

/**
 * Answers with a file of an incoming text. The path has the file's number in that text, from 1. Throws 404.
 */
export async function sendAttachment(call: Call): Promise<Response> {
  const { c, store } = call
  const { id = '', part = '' } = c.req.param()
  const filter = `message_type = "incoming" && id = ${JSON.stringify(id)}`
  const { records } = await findRecords(call, 'sms_messages', { filter, sort: '', limit: 1 })
  const [text] = records as unknown as readonly InboxText[]
  const name = text?.attachments[Number(part) - 1]
  const [file] = await findStoredFiles(
    store.db,
    { collection: 'sms_messages', record: id },
    name ? [name] : [],
  )
  if (!file) throw new GatewayError(404, { message: 'There is no such attachment' })
  return sendStoredFile(c, store.db, file)
}
