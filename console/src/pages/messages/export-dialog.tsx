import { ClientResponseError } from 'pocketbase'
import { useEffect, useRef, useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { saveFile } from '../../data/files/save-file.ts'
import { session } from '../../data/session.ts'
import { useTask } from '../../data/use/use-task.ts'
import { locale } from '../../language/language.ts'
import { formatNumber, t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { CheckField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { localOf } from '../../parts/form/when-field.tsx'
import { toast } from '../../parts/toast.tsx'
import { Progress } from '../../parts/wait.tsx'
import { CSV_COLUMNS, type CsvColumn, fieldsOf, namesOfContacts, readableCsv } from './readable-csv.ts'

const CHOSEN = 11

/** Downloads the messages of the filter as a CSV file. */
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
  const ended = useRef<AbortController | null>(null)
  useEffect(() => () => ended.current?.abort(), [])
  const run = useTask(async () => {
    const stop = new AbortController()
    ended.current = stop
    setDone({ rows: 0, bytes: 0 })
    try {
      const wanted = columns.filter((column) => chosen.includes(column))
      const names = isUser ? await namesOfContacts(stop.signal) : new Map()
      const csv = await readExport(filter, fieldsOf(wanted), setDone, stop.signal)
      const file = await readableCsv(csv, wanted, names)
      saveFile(`messages-${localOf(Date.now()).slice(0, 10)}.csv`, file, 'text/csv')
      toast(t('Export saved'))
      onClose()
    } catch (error) {
      if (!stop.signal.aborted) throw error
    }
  })
  const stop = () => {
    ended.current?.abort()
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
          <fieldset class="messages-columns">
            <legend>{t('Columns')}</legend>
            {columns.map((column) => (
              <CheckField
                key={column.words}
                name={column.words}
                label={column.words}
                value={chosen.includes(column)}
                onValue={(isIn) =>
                  setChosen(isIn ? [...chosen, column] : chosen.filter((each) => each !== column))
                }
              />
            ))}
          </fieldset>
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

/** The progress of an export. */
interface Exported {
  readonly rows: number
  readonly bytes: number
}

const QUOTE = 0x22
const LINE_FEED = 0x0a

/**
 * Reads the CSV of all messages that a filter finds, with these columns, and tells how far it is. Throws a
 * ClientResponseError when it is refused, and what `fetch` throws when it is stopped by `ended` or the
 * connection breaks.
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

/** Counts complete lines without the head; ignores line breaks inside quotes. */
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
