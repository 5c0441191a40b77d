import { setTimeout as sleep } from 'node:timers/promises'
import { UserError } from '../../platform/api-errors.ts'
import { showProgress } from '../../platform/tools/progress.ts'
import { readBytes } from '../../platform/tools/read-named-file.ts'
import { decodeFileText } from '../../portable/file-text.ts'
import type { CsvRow } from './csv.ts'
import {
  type BulkJob,
  type BulkOptions,
  findRowPhone,
  lacksCountry,
  makeBulkJob,
  makeRowBody,
} from './job-from-csv.ts'
import { openResults, type Results } from './results-file.ts'

const SHOWN_REFUSALS = 10

/** Sends a template to each row's phone number, or only previews. `say` prints a line. Throws UserErrors. */
export async function sendCsv(options: BulkOptions, say: Say): Promise<void> {
  const bytes = readBytes(options.csv)
  // a zip archive, or an old Excel file (MS-CFB 2.2)
  if (/^(?:PK\x03\x04|\xd0\xcf\x11\xe0)/.test(bytes.toString('latin1', 0, 4)))
    throw new UserError(`${options.csv} is a spreadsheet: save it as CSV UTF-8, and name that.`)
  const text = decodeFileText(bytes)
  const job = makeBulkJob(options, text)
  if (job.columns.isGuessed) say(`Numbers are in: ${job.columns.titles.join(', ')}`)
  const progress = showProgress(process.stderr)
  const onProgress = (done: number) => progress('rows', done, job.rows.length)
  const refused = options.dryRun
    ? await tryRows(job, onProgress, say)
    : await sendRows(job, openResults(options.results, text, options.template), onProgress, say)
  const national = job.rows.filter((row) => lacksCountry(job, row)).length
  if (national > 0)
    say(
      `Without + and a calling code: ${national}. Name their country with --country, as in --country DE.`,
    )
  if (refused > 0) process.exitCode = 1
}

type OnProgress = (done: number) => void
type Say = (line: string) => void

const AT_ONCE = 8
const SHOWN_TEXTS = 3
/** With these statuses the server would refuse all other rows, too, until the user fixes the cause. */
const STOPPING = new Set([401, 402, 403, 503])

const TOO_LONG =
  'It has more cells than there are titles: put a text with the separator in quotation marks.'
const NO_CALLING_CODE = 'The number does not begin with + and a calling code.'

/** Why a row cannot be sent, whatever the server says; undefined if it can. */
function findRowFault(job: BulkJob, row: CsvRow): string | undefined {
  if (row.isLong) return TOO_LONG
  return lacksCountry(job, row) ? NO_CALLING_CODE : undefined
}

/** Sends rows that `results` does not list as accepted. Throws a UserError if an error concerns all rows. */
async function sendRows(job: BulkJob, results: Results, onProgress: OnProgress, say: Say) {
  const left = job.rows.filter(({ line }) => !results.has(line))
  const before = job.rows.length - left.length
  let [accepted, refused] = [before, 0]
  const sendRow = async (row: CsvRow) => {
    const body = { ...makeRowBody(job, row), client_ref: results.refOf(row.line) }
    const answer = await postWithRetries(job, '/api/sms/send-template', body)
    const [message] = (answer.body.message_ids ?? []) as string[]
    return message ? { message } : { error: readRowRefusal(answer) }
  }
  const send = async (row: CsvRow) => {
    const fault = findRowFault(job, row)
    const result = fault ? { error: fault } : await sendRow(row)
    results.add({ line: row.line, phone: findRowPhone(job, row), ...result })
    if ('message' in result) accepted++
    else refused++
    onProgress(accepted + refused)
  }
  await workInParallel(left, send).finally(results.close)
  const earlier = before > 0 ? `, ${before} of them earlier` : ''
  say(
    `${accepted} of ${job.rows.length} accepted${earlier}, ${refused} refused. Row by row: ${results.file}`,
  )
  return refused
}

/** The server renders texts of a template only for keys that may read them. */
const HIDDEN =
  'This key may not read contacts: the texts are shown as for an unknown person, and are sent with the values of the contacts. A key with the scope messages:list shows these.'

/** Previews each row; sends nothing. Shows the first texts, and why rows would be refused. */
async function tryRows(job: BulkJob, onProgress: OnProgress, say: Say) {
  const texts: string[] = []
  const refused: string[] = []
  let [segments, done, hidden] = [0, 0, false]
  const tryRow = async (row: CsvRow) => {
    const answer = await postWithRetries(job, '/api/sms/preview', makeRowBody(job, row))
    if (answer.status !== 200) refused.push(`line ${row.line}: ${readRowRefusal(answer)}`)
    else {
      const [item] = answer.body.items as [{ body: string }?]
      hidden ||= item === undefined
      segments += Number(answer.body.total_segments)
      texts.push(`${findRowPhone(job, row)}: ${item?.body ?? answer.body.body}`)
    }
  }
  await workInParallel(job.rows, async (row) => {
    const fault = findRowFault(job, row)
    if (fault) refused.push(`line ${row.line}: ${fault}`)
    else await tryRow(row)
    onProgress(++done)
  })
  const shown = refused.filter((line) => !line.endsWith(NO_CALLING_CODE))
  for (const line of [...texts.slice(0, SHOWN_TEXTS), ...shown.slice(0, SHOWN_REFUSALS)]) say(line)
  if (hidden) say(HIDDEN)
  if (shown.length > SHOWN_REFUSALS) say(`… and ${shown.length - SHOWN_REFUSALS} more`)
  say(
    `${texts.length} messages, ${segments} segments, ${refused.length} refused. Nothing was sent.`,
  )
  return refused.length
}

/** Returns the message of a refused request. Throws it as a UserError if other rows would be refused, too. */
function readRowRefusal({ status, body }: ApiResponse) {
  const sentence = String(body.message ?? `The server answered ${status}.`)
  if (STOPPING.has(status))
    throw new UserError(
      `${sentence}. Correct this and repeat the command: it continues where this one ended.`,
    )
  return sentence
}

/** Works on rows in parallel. After a failure, waits for running calls, then throws the first error. */
async function workInParallel(rows: readonly CsvRow[], work: (row: CsvRow) => Promise<void>) {
  const left = rows.values()
  let isOver = false
  const one = async () => {
    for (const row of left) {
      if (isOver) return
      await work(row).catch((error) => {
        isOver = true
        throw error
      })
    }
  }
  const all = await Promise.allSettled(Array.from({ length: AT_ONCE }, one))
  const failed = all.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}

/** The server's final answer: not a temporary error, which is retried. */
interface ApiResponse {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

const TIMEOUT_MS = 30_000
const PASSING = new Set([408, 425, 429])
/** Pauses between tries. After the last, the server counts as unreachable. */
const PAUSES_MS = [500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000]

/** Posts JSON. Retries if there is no answer or a temporary error. Throws a UserError when it gives up. */
async function postWithRetries(
  { url, key }: BulkJob,
  path: string,
  body: unknown,
): Promise<ApiResponse> {
  for (const pauseMs of [...PAUSES_MS, undefined]) {
    const answer = await tryPost(url + path, key, JSON.stringify(body))
    if (answer) return answer
    if (pauseMs !== undefined) await sleep(pauseMs)
  }
  throw new UserError(
    `${url} does not answer. Repeat the command later: it continues where this one ended.`,
  )
}

async function tryPost(url: string, key: string, body: string): Promise<ApiResponse | undefined> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': key },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { status } = response
    const answer = (await response.json()) as ApiResponse['body']
    // `no_devices` is not temporary: the user has to add a device
    const isPassing = PASSING.has(status) || (status >= 500 && answer.error !== 'no_devices')
    return isPassing ? undefined : { status, body: answer }
  } catch {
    return undefined
  }
}
