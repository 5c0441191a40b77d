import Papa from 'papaparse'
import { removeFormulaGuard } from '#portable/write-csv.ts'
import { pb } from '../../data/client.ts'
import { nameLine } from '../../data/device/lines.ts'
import { CSV_MARK, writeCsvLines } from '../../data/files/csv.ts'
import type { Message, MessageState } from '../../data/record-types.ts'
import { parseDate } from '../../data/text/local-time.ts'
import { readState, translateFailureReason } from '../../data/words/message-states.ts'
import { t } from '../../language/words.ts'

export interface CsvColumn {
  readonly words: string
  /** The API fields from which the column is made. */
  readonly fields: readonly string[]
  /** The text of a cell; by default the value of the first field. */
  readonly cell?: (values: readonly string[], names: Names) => string
}

type Names = ReadonlyMap<string, string>

/** Formats as `2026-11-30 08:15:00`, which every spreadsheet reads as a date. */
const LOCAL = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'medium' })

/** An instant in the browser's time zone; '' for none. */
const formatLocalTime = ([at = '']: readonly string[]) =>
  at === '' ? '' : LOCAL.format(parseDate(at))

export const CSV_COLUMNS: readonly CsvColumn[] = [
  { words: t('Time'), fields: ['created'], cell: formatLocalTime },
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
    fields: ['status', 'error_message', 'waiting_for'],
    cell: ([status, error_message = '', waiting_for]) =>
      readState({
        status: status as MessageState,
        error_message,
        waiting_for: waiting_for as Message['waiting_for'],
      })[1],
  },
  {
    words: t('Why it failed'),
    fields: ['error_message'],
    cell: ([told = '']) => translateFailureReason(told),
  },
  { words: t('Device'), fields: ['expand.device.name'] },
  { words: t('Sent by'), fields: ['expand.sent_by.name'] },
  { words: t('Sent at'), fields: ['sent_at'], cell: formatLocalTime },
  { words: t('Delivered at'), fields: ['delivered_at'], cell: formatLocalTime },
  {
    words: t('Line'),
    fields: ['expand.line.label', 'expand.line.number', 'expand.line.slot'],
    cell: ([label = '', number = '', slot = '']) =>
      label || number || (slot && nameLine({ label, number, slot: Number(slot) })),
  },
  { words: t('Segments'), fields: ['segments'] },
  { words: t('User'), fields: ['expand.user.email'] },
  { words: t('Id'), fields: ['id'] },
  { words: t('Id of the send'), fields: ['batch_id'] },
  { words: t('Reference of the sender'), fields: ['client_ref'] },
]

export const listFields = (columns: readonly CsvColumn[]): string[] => [
  ...new Set(columns.flatMap(({ fields }) => fields)),
]

/** Rewrites the API's CSV for people: translated titles and values, local times, names of contacts. */
export async function writeReadableCsv(
  csv: Blob,
  columns: readonly CsvColumn[],
  names: Names,
): Promise<Blob> {
  const pieces = [CSV_MARK, writeCsvLines([columns.map(({ words }) => words)])]
  await readEachPiece(csv, (rows) => {
    const lines = rows.map((row) =>
      columns.map(({ fields, cell }) => {
        const values = fields.map((field) => row[field] ?? '')
        return cell ? cell(values, names) : values[0]!
      }),
    )
    pieces.push(writeCsvLines(lines))
  })
  return new Blob(pieces, { type: 'text/csv' })
}

export async function readNames(ended: AbortSignal): Promise<Names> {
  const url = pb.buildURL('/api/collections/contacts/export?fields=phone,name')
  const response = await fetch(url, {
    headers: { authorization: pb.authStore.token },
    signal: ended,
  })
  const names = new Map<string, string>()
  if (!response.ok) return names
  await readEachPiece(await response.blob(), (rows) => {
    for (const { phone = '', name = '' } of rows) names.set(phone, name)
  })
  return names
}

type Row = Readonly<Record<string, string>>

/** Parses a CSV with a header piece by piece, so that the rows of a large file are never all in memory. */
const readEachPiece = (csv: Blob, take: (rows: readonly Row[]) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    Papa.parse<Row>(csv as File, {
      header: true,
      skipEmptyLines: true,
      // the server guards formulas, and so does the file that is written
      transform: (cell) => removeFormulaGuard(cell, ','),
      chunk: ({ data }) => take(data),
      complete: () => resolve(),
      error: reject,
    })
  })
