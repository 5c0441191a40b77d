import Papa from 'papaparse'
import { ClientResponseError } from 'pocketbase'
import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { lineName } from '../../data/device/lines.ts'
import { CSV_MARK, csvLines } from '../../data/files/csv.ts'
import { saveFile } from '../../data/files/save-file.ts'
import type { MessageState } from '../../data/records.ts'
import { session } from '../../data/session.ts'
import { useLongTask } from '../../data/use/use-task.ts'
import { failureReason } from '../../data/words/failure-reasons.ts'
import { stateOf } from '../../data/words/message-states.ts'
import { locale } from '../../language/language.ts'
import { formatNumber, t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { CheckList } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { localOf } from '../../parts/form/when-field.tsx'
import { Progress } from '../../parts/page.tsx'
import { msOf } from '../../parts/time.tsx'
import { toast } from '../../parts/toast.tsx'

const CHOSEN = 11

export function ExportDialog({
  filter,
  total,
  onClose,
}: {
  filter: string
  total: number
  onClose: () => void
}) {
  const isUser = session.value?.role === 'user'
  const columns = CSV_COLUMNS.filter(({ words }) => words !== (isUser ? t('User') : t('Contact')))
  const [chosen, setChosen] = useState<readonly CsvColumn[]>(columns.slice(0, CHOSEN))
  const [done, setDone] = useState<Exported>({ rows: 0, bytes: 0 })
  const run = useLongTask(async (ended) => {
    setDone({ rows: 0, bytes: 0 })
    try {
      const wanted = columns.filter((column) => chosen.includes(column))
      const names = isUser ? await namesOfContacts(ended) : new Map()
      const csv = await readExport(filter, fieldsOf(wanted), setDone, ended)
      const file = await readableCsv(csv, wanted, names)
      saveFile(`messages-${localOf(Date.now()).slice(0, 10)}.csv`, file, 'text/csv')
      toast(t('Export saved'))
      onClose()
    } catch (error) {
      if (!ended.aborted) throw error
    }
  })
  const stop = () => {
    run.stop()
    toast(t('Export stopped'))
  }
  return (
    <Dialog title={t('Export as CSV')} onClose={onClose}>
      <Form onSubmit={run.run} fault={run.fault}>
        <p>
          {filter === ''
            ? t('All messages, newest first: {total} now.', { total })
            : t('The messages of your filter, newest first: {total} now.', { total })}
        </p>
        {run.busy ? (
          <Progress
            value={done.rows}
            max={Math.max(total, done.rows)}
            label={t('{count} of {total} messages, {size}', {
              count: done.rows,
              total,
              size: sizeOf(done.bytes),
            })}
          />
        ) : (
          <CheckList
            legend={t('Columns')}
            name="column"
            choices={columns.map(({ words }) => [words, words] as const)}
            chosen={chosen.map(({ words }) => words)}
            onChosen={(names) => setChosen(columns.filter(({ words }) => names.includes(words)))}
          />
        )}
        <FormActions
          {...{ icon: 'download', busy: run.busy, disabled: chosen.length === 0 }}
          {...{ onCancel: onClose, onStop: stop }}
        >
          {t('Export')}
        </FormActions>
      </Form>
    </Dialog>
  )
}

const megabytes = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 })
const sizeOf = (bytes: number) =>
  bytes < 1e6 ? `${formatNumber(Math.ceil(bytes / 1e3))} kB` : `${megabytes.format(bytes / 1e6)} MB`

interface Exported {
  readonly rows: number
  readonly bytes: number
}

const QUOTE = 0x22
const LINE_FEED = 0x0a

/**
 * Downloads the CSV of all messages that a filter finds and reports progress to `tell`. Throws a
 * ClientResponseError if the server refuses, or the error of `fetch` if `ended` is aborted or the connection
 * breaks.
 */
async function readExport(
  filter: string,
  fields: readonly string[],
  tell: (exported: Exported) => void,
  ended: AbortSignal,
): Promise<Blob> {
  const expand = fields.some((field) => field.startsWith('expand.')) ? 'device,line,user,sent_by' : ''
  const query = new URLSearchParams({ filter, fields: fields.join(), expand })
  const url = pb.buildURL(`/api/collections/sms_messages/export?${query}`)
  const response = await fetch(url, { headers: { authorization: pb.authStore.token }, signal: ended })
  if (!response.ok || !response.body) {
    const answer = await response.json().catch(() => ({}))
    throw new ClientResponseError({ url, status: response.status, response: answer })
  }
  const count = rowCounter()
  let bytes = 0
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, out) {
      bytes += piece.length
      tell({ rows: count(piece), bytes })
      out.enqueue(piece)
    },
  })
  return new Response(response.body.pipeThrough(counted), { headers: { 'content-type': 'text/csv' } }).blob()
}

/**
 * Returns a function that counts the complete rows in all pieces so far, without the header. Ignores line
 * breaks inside quotes.
 */
function rowCounter(): (piece: Uint8Array) => number {
  let lines = 0
  let isQuoted = false
  return (piece) => {
    for (const byte of piece) {
      if (byte === QUOTE) isQuoted = !isQuoted
      else if (byte === LINE_FEED && !isQuoted) lines++
    }
    return Math.max(0, lines - 1)
  }
}

interface CsvColumn {
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
const localTime = ([at = '']: readonly string[]) => (at === '' ? '' : LOCAL.format(msOf(at)))

const CSV_COLUMNS: readonly CsvColumn[] = [
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

const fieldsOf = (columns: readonly CsvColumn[]): string[] => [
  ...new Set(columns.flatMap(({ fields }) => fields)),
]

/** Rewrites the API's CSV for people: translated titles and values, local times, names of contacts. */
async function readableCsv(csv: Blob, columns: readonly CsvColumn[], names: Names): Promise<Blob> {
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

async function namesOfContacts(ended: AbortSignal): Promise<Names> {
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

/** Parses a CSV with a header piece by piece, so that the rows of a large file are never all in memory. */
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
