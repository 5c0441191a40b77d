import { sql } from 'kysely'
import { type StoredFile, storeFileForAll } from '../../../engine/files/stored-files.ts'
import type { Config } from '../../../platform/config.ts'
import type { Db } from '../../../platform/db/open.ts'
import { matchAny, queries } from '../../../platform/db/queries.ts'
import { writeMmsText } from '../../../portable/attachment-lines.ts'
import { type Attachment, MESSAGE_COLLECTION, type Media } from '../../base/message-files.ts'
import type { Offer, OfferedMessage } from './offer.ts'
import { ANY_LINE, type SendBody } from './send-options.ts'

/** Whether an account has a line for MMS among those that a send names. The judge asks the line itself. */
export async function hasMmsLine(
  db: Db,
  user: string,
  { deviceId = '', line = ANY_LINE }: Partial<Pick<SendBody, 'deviceId' | 'line'>> = {},
): Promise<boolean> {
  const named = sql`sms_named_lines(${user}, ${line.id || null}, ${line.number || null}, ${deviceId || null}, 0)`
  const found = await queries(db)
    .selectFrom('lines as l')
    .select('l.id')
    .where('l.user', '=', user)
    .where('l.mms', '=', 'on')
    .where('l.enabled', '=', true)
    .$if(deviceId !== '', (query) => query.where('l.device', '=', deviceId))
    .$if(line !== ANY_LINE && line.id + line.number !== '', (query) =>
      query.where(sql<boolean>`l.id in (select n.line from ${named} n)`),
    )
    .limit(sql.lit(1))
    .executeTakeFirst()
  return found !== undefined
}

/** Maximum files of a message: the field `attachments` takes no more. */
export const MAX_FILES = 10
type NamedFile = Pick<StoredFile, 'name' | 'type' | 'size'>

const toNamedFile = ({ name, type, content: { size } }: Attachment): NamedFile => ({
  name,
  type,
  size,
})

/** The text of an MMS without words: a line for each file, as in received ones. */
const writeFileLines = (files: readonly NamedFile[]): string =>
  writeMmsText(
    [],
    files.map(({ type, ...file }) => ({ ...file, contentType: type })),
    [],
  )

export const writeStoredText = (words: string, files: Media['files']): string =>
  words === '' ? writeFileLines(files.map(toNamedFile)) : words

/** The words of a stored MMS: '' if its text only names its files, whatever their names are by now. */
export function readWords(text: string, files: readonly NamedFile[]): string {
  const nameless = writeFileLines(files.map(({ type, size }) => ({ name: '', type, size })))
  return withoutNames(text) === withoutNames(nameless) ? '' : text
}

/** Lines about files without the names between their first word and their type. */
const withoutNames = (text: string): string =>
  text.replace(/^(Attachment:)(?: \S+)?( \S+ \d+ bytes)$/gm, '$1$2')

/** The words of an offer's message, which its text without files has. */
export const readOfferedWords = ({ body = '', media }: Offer, message: OfferedMessage): string =>
  message.body ?? readWords(body, (media?.files ?? []).map(toNamedFile))

/** Stores files for each of some records of an account, in the caller's transaction. Throws FilesFull. */
export async function storeMediaFiles(
  db: Db,
  { maxAccountFileBytes: maxBytes }: Pick<Config, 'maxAccountFileBytes'>,
  user: string,
  place: { readonly collection: string; readonly records: readonly string[] },
  { files }: Pick<Media, 'files'>,
): Promise<void> {
  const owner = { id: user, maxBytes }
  for (const { name, type, content } of files)
    await storeFileForAll(db, { ...place, name }, { type, owner }, content)
}

export const dropOfferedFiles = (db: Db, { messages }: Offer) =>
  queries(db)
    .deleteFrom('_files')
    .where('collection', '=', sql.lit(MESSAGE_COLLECTION))
    .where('record', '=', matchAny(messages.map(({ id }) => id)))
    .execute()
