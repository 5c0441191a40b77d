import { createHash, randomUUID } from 'node:crypto'
import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineCommand } from 'citty'
import { UserError } from '../errors.ts'
import { fileText } from '../portable/file-text.ts'
import { phoneIn } from '../portable/phone/row.ts'
import { readBytes } from '../tools/files.ts'
import { parseJson } from '../tools/json.ts'
import { showProgress } from '../tools/progress.ts'
import { type CsvRow, readCsv } from './csv.ts'
import { phoneColumns } from './phone-columns.ts'

const SHOWN_REFUSALS = 10

export type BulkOptions = Record<
  'csv' | 'template' | 'url' | 'key' | 'phoneColumn' | 'country' | 'results',
  string
> & {
  readonly dryRun: boolean
}

/** Sends a template to each row's phone number, or only previews. `say` prints a line. Throws UserErrors. */
export async function sendCsv(options: BulkOptions, say: Say): Promise<void> {
  const text = fileText(readBytes(options.csv))
  const job = jobOf(options, text)
  if (job.columns.isGuessed) say(`Numbers are in: ${job.columns.titles.join(', ')}`)
  const progress = showProgress(process.stderr)
  const onProgress = (done: number) => progress('rows', done, job.rows.length)
  const refused = options.dryRun
    ? await tryRows(job, onProgress, say)
    : await sendRows(job, openResults(options.results, text, options.template), onProgress, say)
  if (refused > 0) process.exitCode = 1
}

function jobOf({ url, key, template, phoneColumn, country }: BulkOptions, text: string): Job {
  // `sms.example.com:8090` also parses as a URL, with the scheme `sms.example.com`
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new UserError('Name the server with --url or POCKETSMS_URL, as https://sms.example.com')
  if (key === '') throw new UserError('Name an API key with --key or POCKETSMS_KEY.')
  const rows = readCsv(text)
  if (rows.length === 0) throw new UserError('The file has a head and no rows.')
  const columns = phoneColumns(rows, phoneColumn, country)
  return { url: url.replace(/\/+$/, ''), key, template, columns, country, rows }
}

const text = (description: string, valueHint: string) => ({ type: 'string', description, valueHint }) as const

export const sendCommand = defineCommand({
  meta: { name: 'send', description: 'Send a template to each row of a CSV file, over HTTP.' },
  args: {
    csv: { ...text('a head with column names, then a row each', 'FILE'), required: true },
    template: { ...text('id of the template; its variables are the columns', 'ID'), required: true },
    url: text('the server (default: POCKETSMS_URL, else http://127.0.0.1:8090)', 'URL'),
    key: text('an API key (default: POCKETSMS_KEY, which other users of the machine cannot see)', 'KEY'),
    phone: {
      ...text('the column with the numbers (default: phone, or a similar one)', 'COLUMN'),
      default: '',
    },
    country: { ...text('the country of numbers without a calling code, such as DE', 'COUNTRY'), default: '' },
    results: text(
      'the file that notes each row, so that a later run continues (default: FILE.results)',
      'FILE',
    ),
    'dry-run': { type: 'boolean', description: 'show the texts, and send nothing', default: false },
  },
  async run({ args }) {
    const { POCKETSMS_URL, POCKETSMS_KEY } = process.env
    const options = {
      csv: args.csv,
      template: args.template,
      url: args.url || POCKETSMS_URL || 'http://127.0.0.1:8090',
      key: args.key || POCKETSMS_KEY || '',
      phoneColumn: args.phone,
      country: args.country,
      results: args.results || `${args.csv}.results`,
      dryRun: args['dry-run'],
    }
    await sendCsv(options, (line) => void process.stdout.write(`${line}\n`))
  },
})

interface Job {
  /** Without a trailing slash. */
  readonly url: string
  readonly key: string
  readonly template: string
  /** The columns with the phone numbers; the others are the template's variables. */
  readonly columns: ReturnType<typeof phoneColumns>
  /** The country of numbers without a calling code, as ISO 3166 alpha-2; '' for none. */
  readonly country: string
  readonly rows: readonly CsvRow[]
}

type OnProgress = (done: number) => void
type Say = (line: string) => void

const AT_ONCE = 8
const SHOWN_TEXTS = 3
/** With these statuses the server would refuse all other rows, too, until the user fixes the cause. */
const STOPPING = new Set([401, 402, 403, 503])

/** Sends rows that `results` does not list as accepted. Throws a UserError if an error concerns all rows. */
async function sendRows(job: Job, results: Results, onProgress: OnProgress, say: Say) {
  const left = job.rows.filter(({ line }) => !results.has(line))
  const before = job.rows.length - left.length
  let [accepted, refused] = [before, 0]
  const send = async (row: CsvRow) => {
    const body = { ...bodyOf(job, row), client_ref: results.refOf(row.line) }
    const answer = await post(job, '/api/sms/send-template', body)
    const [message] = (answer.body.message_ids ?? []) as string[]
    const result = message ? { message } : { error: sentenceOf(answer) }
    results.add({ line: row.line, phone: phoneOf(job, row), ...result })
    if (message) accepted++
    else refused++
    onProgress(accepted + refused)
  }
  await inParallel(left, send).finally(results.close)
  const earlier = before > 0 ? `, ${before} of them earlier` : ''
  say(`${accepted} of ${job.rows.length} accepted${earlier}, ${refused} refused. Row by row: ${results.file}`)
  return refused
}

/** Previews each row; sends nothing. Shows the first texts, and why rows would be refused. */
async function tryRows(job: Job, onProgress: OnProgress, say: Say) {
  const texts: string[] = []
  const refused: string[] = []
  let [segments, done] = [0, 0]
  await inParallel(job.rows, async (row) => {
    const answer = await post(job, '/api/sms/preview', bodyOf(job, row))
    if (answer.status !== 200) refused.push(`line ${row.line}: ${sentenceOf(answer)}`)
    else {
      segments += Number(answer.body.total_segments)
      texts.push(`${phoneOf(job, row)}: ${answer.body.body}`)
    }
    onProgress(++done)
  })
  for (const line of [...texts.slice(0, SHOWN_TEXTS), ...refused.slice(0, SHOWN_REFUSALS)]) say(line)
  if (refused.length > SHOWN_REFUSALS) say(`… and ${refused.length - SHOWN_REFUSALS} more`)
  say(`${texts.length} messages, ${segments} segments, ${refused.length} refused. Nothing was sent.`)
  return refused.length
}

function phoneOf({ columns, country }: Job, { values }: CsvRow): string {
  const head = Object.keys(values)
  const cells = Object.values(values)
  const phones = columns.titles.map((title) => head.indexOf(title))
  const { phone } = phoneIn(head, cells, { phones }, country)
  return phone ?? phones.map((at) => cells[at]).find(Boolean) ?? ''
}

function bodyOf(job: Job, row: CsvRow) {
  const variables = Object.fromEntries(
    Object.entries(row.values).filter(([title]) => !job.columns.titles.includes(title)),
  )
  return { recipients: [phoneOf(job, row)], bulk: true, template_id: job.template, variables }
}

/** Returns the message of a refused request. Throws it as a UserError if other rows would be refused, too. */
function sentenceOf({ status, body }: ApiResponse) {
  const sentence = String(body.message ?? `The server answered ${status}.`)
  if (STOPPING.has(status))
    throw new UserError(
      `${sentence}. Correct this and repeat the command: it continues where this one ended.`,
    )
  return sentence
}

/** Works on rows in parallel. After a failure, waits for running calls, then throws the first error. */
async function inParallel(rows: readonly CsvRow[], work: (row: CsvRow) => Promise<void>) {
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
async function post({ url, key }: Job, path: string, body: unknown): Promise<ApiResponse> {
  for (const pauseMs of [...PAUSES_MS, undefined]) {
    const answer = await tryPost(url + path, key, JSON.stringify(body))
    if (answer) return answer
    if (pauseMs !== undefined) await sleep(pauseMs)
  }
  throw new UserError(`${url} does not answer. Repeat the command later: it continues where this one ended.`)
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

/** The result of a row: the accepted message, or why the row was refused. */
export interface RowResult {
  readonly line: number
  readonly phone: string
  readonly message?: string
  readonly error?: string
}

type Results = ReturnType<typeof openResults>

/** Opens the file of results, new or of an earlier run. Throws a UserError if `csv` or template differ. */
function openResults(file: string, csv: string, template: string) {
  const of = createHash('sha256').update(`${template}\n${csv}`).digest('hex')
  const isNew = !existsSync(file)
  // ignores a last line that a crash left incomplete
  const lines = isNew ? [] : readFileSync(file, 'utf8').split('\n')
  const [head, ...done] = lines.flatMap((line) => parseJson(line) ?? [])
  const { run, of: before } = (head ?? { run: randomUUID(), of }) as { run: string; of: string }
  if (!run || before !== of)
    throw new UserError(`${file} has the results of another file or template. Name a new one with --results.`)
  const accepted = new Set((done as RowResult[]).flatMap(({ line, message }) => (message ? [line] : [])))
  const descriptor = openToAppend(file)
  // begin a new line: a kill may have cut the last one. writeSync might write only a part, as on a full disk
  writeFileSync(descriptor, (isNew ? '' : '\n') + (head ? '' : `${JSON.stringify({ run, of })}\n`))
  fdatasyncSync(descriptor) // the run's id must survive a crash: `client_ref` contains it
  return {
    file,
    has: (line: number) => accepted.has(line),
    refOf: (line: number) => `${run}.${line}`,
    add: (result: RowResult) => writeFileSync(descriptor, `${JSON.stringify(result)}\n`),
    close: () => closeSync(descriptor),
  }
}

function openToAppend(file: string) {
  try {
    return openSync(file, 'a')
  } catch (error) {
    throw new UserError(`${file} cannot be written: ${(error as Error).message}. --results names another.`)
  }
}
