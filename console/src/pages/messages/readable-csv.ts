import Papa from 'papaparse'
import { pb } from '../../data/client.ts'
import { lineName } from '../../data/device/lines.ts'
import { CSV_MARK, csvLines } from '../../data/files/csv.ts'
import type { MessageState } from '../../data/records.ts'
import { failureReason } from '../../data/words/failure-reasons.ts'
import { stateOf } from '../../data/words/message-states.ts'
import { t } from '../../language/words.ts'
import { msOf } from '../../parts/time.tsx'

/** A column of the exported file. */
export interface CsvColumn {
  readonly words: string
  /** The fields of the API that it is made of. */
  readonly fields: readonly string[]
  /** The text of a cell; by default the first field unchanged. */
  readonly cell?: (values: readonly string[], names: Names) => string
}

/** Names of contacts by number. */
export type Names = ReadonlyMap<string, string>

/** Year, month, day and time in this order are a date in every spreadsheet. */
const LOCAL = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'medium' })

/** An instant in the browser's time zone; '' for none. */
const localTime = ([at = '']: readonly string[]) => (at === '' ? '' : LOCAL.format(msOf(at)))

/** Columns for the export. The first ones are chosen by default. */
export const CSV_COLUMNS: readonly CsvColumn[] = [
  { words: t('Time'), fields: ['created'], cell: localTime },
  {
    words: t('Direction'),
    fields: ['message_type'],
    cell: ([type]) => (type === 'incoming' ? t('Received') : t('Sent')),
  },
  {
    words: t('Contact'),
    fields: ['message_type', 'from', 'to'],
    cell: ([type, from = '', to = ''], names) => names.get(type === 'incoming' ? from : to) ?? '',
  },
  { words: t('From'), fields: ['from'] },
  { words: t('To'), fields: ['to'] },
  { words: t('Text'), fields: ['body'] },
  {
    words: t('State'),
    fields: ['status', 'error_message'],
    cell: ([status, error_message = '']) => stateOf({ status: status as MessageState, error_message })[1],
  },
  { words: t('Why it failed'), fields: ['error_message'], cell: ([told = '']) => failureReason(told) },
  { words: t('Device'), fields: ['expand.device.name'] },
  { words: t('Sent by'), fields: ['expand.sent_by.name'] },
  { words: t('Sent at'), fields: ['sent_at'], cell: localTime },
  { words: t('Delivered at'), fields: ['delivered_at'], cell: localTime },
  {
    words: t('Line'),
    fields: ['expand.line.label', 'expand.line.number', 'expand.line.slot'],
    cell: ([label = '', number = '', slot = '']) =>
      label || number || (slot && lineName({ label, number, slot: Number(slot) })),
  },
  { words: t('Segments'), fields: ['segments'] },
  { words: t('User'), fields: ['expand.user.email'] },
  { words: t('Id'), fields: ['id'] },
  { words: t('Id of the send'), fields: ['batch_id'] },
  { words: t('Reference of the sender'), fields: ['client_ref'] },
]

/** The fields that an export of these columns asks for, each once. */
export const fieldsOf = (columns: readonly CsvColumn[]): string[] => [
  ...new Set(columns.flatMap(({ fields }) => fields)),
]

/** The API's CSV of these columns as a file for people: their words, local times, names of contacts. */
export async function readableCsv(csv: Blob, columns: readonly CsvColumn[], names: Names): Promise<Blob> {
  const pieces = [CSV_MARK, csvLines([columns.map(({ words }) => words)])]
  await eachPiece(csv, (rows) => {
    const lines = rows.map((row) =>
      columns.map(({ fields, cell }) => {
        const values = fields.map((field) => row[field] ?? '')
        return cell ? cell(values, names) : values[0]!
      }),
    )
    pieces.push(csvLines(lines))
  })
  return new Blob(pieces, { type: 'text/csv' })
}

/** The names of all contacts. A superuser has none. */
export async function namesOfContacts(ended: AbortSignal): Promise<Names> {
  const url = pb.buildURL('/api/collections/contacts/export?fields=phone,name')
  const response = await fetch(url, { headers: { authorization: pb.authStore.token }, signal: ended })
  const names = new Map<string, string>()
  if (!response.ok) return names
  await eachPiece(await response.blob(), (rows) => {
    for (const { phone = '', name = '' } of rows) names.set(phone, name)
  })
  return names
}

type Row = Readonly<Record<string, string>>

/** Reads a CSV with a head piece by piece, so that a large one does not have to be in memory as rows. */
const eachPiece = (csv: Blob, take: (rows: readonly Row[]) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    Papa.parse<Row>(csv as File, {
      header: true,
      skipEmptyLines: true,
      chunk: ({ data }) => take(data),
      complete: () => resolve(),
      error: reject,
    })
  })
