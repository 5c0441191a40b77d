import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { UserError } from '../../platform/api-errors.ts'
import { showProgress } from '../../platform/tools/progress.ts'
import { readBytes } from '../../platform/tools/read-named-file.ts'
import { findCountryNamed } from '../../portable/phone/numbering-plans.ts'
import { openResults, type RowResult } from './results-file.ts'

export type BulkOptions = Record<
  'csv' | 'template' | 'url' | 'key' | 'phoneColumn' | 'country' | 'results',
  string
> & {
  readonly dryRun: boolean
}

type Say = (line: string) => void

/** Sends a template to each row of a file as a campaign, or only previews it. `say` prints a line. */
export async function sendCsv(options: BulkOptions, say: Say): Promise<void> {
  const { url, key, country } = options
  // `sms.example.com:8090` also parses as a URL, with the scheme `sms.example.com`
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new UserError('Name the server with --url or POCKETSMS_URL, as https://sms.example.com')
  if (key === '') throw new UserError('Name an API key with --key or POCKETSMS_KEY.')
  if (country !== '' && !findCountryNamed(country))
    throw new UserError(`--country ${country} is no country: name it by its ISO 3166 code, as DE.`)
  const bytes = readBytes(options.csv)
  // a zip archive, or an old Excel file (MS-CFB 2.2)
  if (/^(?:PK\x03\x04|\xd0\xcf\x11\xe0)/.test(bytes.toString('latin1', 0, 4)))
    throw new UserError(`${options.csv} is a spreadsheet: save it as CSV UTF-8, and name that.`)
  const refused = options.dryRun
    ? await tryList(options, bytes, say)
    : await sendList(options, bytes, say)
  if (refused > 0) process.exitCode = 1
}

const SHOWN = 10
const NO_COUNTRY = 'No calling code and no country'
const OWN_FILE = 'Send rows that were left out as a file of their own.'
const NAME_COUNTRY = 'Name the country of numbers without + with --country, as in --country DE.'

interface LeftOut {
  readonly count: number
  readonly rows: readonly { readonly line: number; readonly reason: string }[]
}

interface Preview {
  readonly recipients_count: number
  readonly segments: number
  readonly samples: readonly { readonly to: string; readonly body: string }[]
  readonly columns: readonly string[]
  readonly left_out: LeftOut
}

/** Shows texts, and why rows are left out. Returns how many are. */
async function tryList(options: BulkOptions, bytes: Buffer, say: Say): Promise<number> {
  const form = makeForm(options, bytes)
  const preview = await ask<Preview>(options, 'POST', '/api/campaigns/preview', { body: form })
  const { samples, left_out, columns, recipients_count, segments } = preview
  say(`Numbers are in: ${columns.join(', ')}`)
  for (const { to, body } of samples) say(`${to}: ${body}`)
  if (samples.some(({ body }) => body.includes('{{')))
    say('{{…}} stands for what contacts give. A key with the scope messages:list shows it.')
  sayLeftOut(left_out, say)
  say(
    `${recipients_count} messages, ${segments} segments, ${left_out.count} refused. Nothing was sent.`,
  )
  return left_out.count
}

function sayLeftOut({ count, rows }: LeftOut, say: Say, help = NAME_COUNTRY) {
  for (const { line, reason } of rows.slice(0, SHOWN)) say(`line ${line}: ${reason}`)
  if (count > SHOWN) say(`… and ${count - SHOWN} more`)
  if (rows.some(({ reason }) => reason === NO_COUNTRY)) say(help)
}

interface Row {
  readonly line: number
  readonly to: string
  readonly message: string
  readonly status: string
  readonly reason: string
}

const AGAIN_MS = 500
const STOPPED: ReadonlySet<string> = new Set(['paused', 'canceled', 'failed'])

/**
 * Makes the campaign, or finds the one that this file and template made within 24 hours, and waits until its
 * texts are stored. Returns how many rows were left out.
 */
async function sendList(options: BulkOptions, bytes: Buffer, say: Say): Promise<number> {
  const of = createHash('sha256').update(`${options.template}\n`).update(bytes).digest('hex')
  const results = openResults(options.results, of)
  const { id } = await ask<{ id: string }>(options, 'POST', '/api/campaigns', {
    body: makeForm(options, bytes),
    headers: { 'idempotency-key': `send ${of}` },
  })
  const rows = await followRows(options, id)
  results.write(id, rows.map(toResult))
  const out = rows.filter(({ message }) => message === '')
  sayLeftOut({ count: out.length, rows: out }, say, `${OWN_FILE} ${NAME_COUNTRY}`)
  say(
    `${rows.length - out.length} of ${rows.length} accepted, ${out.length} refused. Row by row: ${results.file}`,
  )
  return out.length
}

const toResult = ({ line, to: phone, message, status, reason: error }: Row): RowResult => ({
  line,
  phone,
  ...(message && { message, status }),
  ...(error && { error }),
})

/** Reads the rows of a campaign, in their order; waits for those that have neither a text nor a reason. */
async function followRows(options: BulkOptions, id: string): Promise<Row[]> {
  const progress = showProgress(process.stderr)
  const rows: Row[] = []
  for (let page = 1; ; ) {
    const path = `/api/campaigns/${id}/recipients?page=${page}`
    const { items, totalItems } = await ask<{ items: Row[]; totalItems: number }>(
      options,
      'GET',
      path,
    )
    const waiting = items.filter(({ message, reason }) => message === '' && reason === '')
    progress('rows', rows.length + items.length - waiting.length, totalItems)
    if (waiting.length > 0) {
      await requireRunning(options, id)
      await sleep(AGAIN_MS)
      continue
    }
    rows.push(...items)
    if (items.length === 0 || rows.length >= totalItems) return rows
    page++
  }
}

/** Throws a UserError if no server stores the waiting texts of a campaign. */
async function requireRunning(options: BulkOptions, id: string) {
  const path = `/api/campaigns/${id}/progress`
  const { status } = await ask<{ status: string }>(options, 'GET', path)
  if (STOPPED.has(status)) throw new UserError(`The campaign ${id} is ${status}: see the console.`)
}

function makeForm({ csv, template, phoneColumn, country }: BulkOptions, bytes: Buffer): FormData {
  const form = new FormData()
  form.append('template_id', template)
  form.append('hold_seconds', '0')
  if (phoneColumn) form.append('columns', phoneColumn)
  if (country) form.append('country', findCountryNamed(country)!)
  form.append('list', new Blob([new Uint8Array(bytes)]), basename(csv))
  return form
}

const TIMEOUT_MS = 120_000
const PASSING = new Set([408, 425, 429])
/** Pauses between tries. After the last, the server counts as unreachable. */
const PAUSES_MS = [500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000]

interface Sent {
  readonly body?: FormData
  readonly headers?: Readonly<Record<string, string>>
}

/** Asks the server. Retries without an answer or after a temporary error. Throws a UserError otherwise. */
async function ask<T>(options: BulkOptions, method: string, path: string, sent: Sent = {}) {
  for (const pauseMs of [...PAUSES_MS, undefined]) {
    const answer = await tryAsk(options, method, path, sent)
    if (answer?.status === 200) return answer.body as T
    if (answer) throw makeRefusal(answer)
    if (pauseMs !== undefined) await sleep(pauseMs)
  }
  throw new UserError(
    `${options.url} does not answer. Repeat the command later: it continues where this one ended.`,
  )
}

interface ApiAnswer {
  readonly status: number
  readonly body: unknown
}

function makeRefusal({ status, body }: ApiAnswer): UserError {
  if (status === 422)
    return new UserError(
      `This file and template were sent with another --phone or --country within 24 hours, and continue only with these. ${OWN_FILE}`,
    )
  const sentence = String(
    (body as { message?: unknown }).message ?? `The server answered ${status}`,
  )
  const help = sentence.includes(NO_COUNTRY) ? ` ${NAME_COUNTRY}` : ''
  return new UserError(`${sentence.replace(/\.$/, '')}.${help} Nothing was sent.`)
}

async function tryAsk(
  { url, key }: BulkOptions,
  method: string,
  path: string,
  { body, headers }: Sent,
): Promise<ApiAnswer | undefined> {
  try {
    const response = await fetch(url.replace(/\/+$/, '') + path, {
      method,
      headers: { 'x-api-key': key, ...headers },
      ...(body && { body }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const { status } = response
    const answer = (await response.json()) as { readonly error?: string }
    // `no_devices` is not temporary: the user has to add a device
    const isPassing = PASSING.has(status) || (status >= 500 && answer.error !== 'no_devices')
    return isPassing ? undefined : { status, body: answer }
  } catch {
    return undefined
  }
}
