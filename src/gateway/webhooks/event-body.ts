import type { Collection } from '../../engine/collections/collection.ts'
import type { Value } from '../../engine/fields/field.ts'
import { makeLinkToken } from '../../engine/files/link-token.ts'
import { findStoredFiles, type StoredFile } from '../../engine/files/stored-files.ts'
import { makeBlankValues } from '../../engine/records/prepare.ts'
import { type RecordRow, toRow } from '../../engine/records/record-row.ts'
import { renderRecord } from '../../engine/records/render.ts'
import type { Db } from '../../platform/db/open.ts'
import { DELAYS_SECONDS, MAX_RETRY_AFTER_SECONDS } from './compute-retry-delay.ts'

/** The collection that events are about. */
export const MESSAGES = 'sms_messages'

export type LinkedFile = Pick<StoredFile, 'name' | 'type' | 'size'> & { readonly url: string }

/** The files that a message had at the event, with links. `at`: time of the event, in seconds since 1970. */
export async function linkFiles(
  db: Db,
  { id, attachments }: Readonly<Record<string, unknown>>,
  at: number,
  publicUrl: string,
) {
  const record = { collection: MESSAGES, record: String(id) }
  const files = await findStoredFiles(db, record, (attachments ?? []) as string[])
  const link = async (name: string) => {
    const token = await makeLinkToken(db, { ...record, name }, at + LINK_SECONDS)
    return `${publicUrl}/api/files/${MESSAGES}/${id}/${encodeURIComponent(name)}?token=${token}`
  }
  return Promise.all(
    files.map(async ({ name, type, size }) => ({ name, type, size, url: await link(name) })),
  )
}

/** A sample event with all fields of a message, some of them empty, and a file, to check templates. */
export function makeSampleEvent(messages: Collection, message: Readonly<Record<string, Value>>) {
  const row = toRow(messages, {
    ...makeBlankValues(messages),
    ...message,
    message_type: 'incoming',
  })
  const file = { name: 'a.jpg', type: 'image/jpeg', size: 1, url: 'https://example.com/a.jpg' }
  return {
    id: 'sample',
    body: makeEventBody('message.received', new Date(), messages, row, [file]),
  }
}

/** The body of a delivery. It shows the message as its owner sees it in the record API. */
export function makeEventBody(
  event: string,
  at: Date,
  messages: Collection,
  row: RecordRow,
  files: readonly object[],
) {
  const data = renderRecord(messages, row, { showsHidden: false, showsEmail: false })
  const more = files.length > 0 ? `,"files":${JSON.stringify(files)}` : ''
  return `{"type":${JSON.stringify(event)},"timestamp":"${at.toISOString()}","data":${data}${more}}`
}

/** How long links to an event's files are valid: 10 days, longer than all attempts if each is delayed. */
const LINK_SECONDS = (DELAYS_SECONDS.length + 1) * MAX_RETRY_AFTER_SECONDS
