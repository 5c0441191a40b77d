import { setTimeout as sleep } from 'node:timers/promises'
import { UserError } from '../errors.ts'
import type { CsvRow } from './csv.ts'
import type { Results } from './results.ts'

export interface Job {
  readonly api: Api
  readonly template: string
  /** The column with the numbers; the others are the template's variables. */
  readonly phoneColumn: string
  readonly rows: readonly CsvRow[]
}

type OnProgress = (done: number) => void

const AT_ONCE = 8
const SHOWN_TEXTS = 3
/** What a person has to mend before any other row can be sent. */
const STOPPING = new Set([401, 402, 403, 503])

/** Sends each row that `results` does not have as accepted. Throws a UserError for what stops them all. */
export async function sendRows(job: Job, results: Results, onProgress: OnProgress) {
  const left = job.rows.filter(({ line }) => !results.has(line))
  const before = job.rows.length - left.length
  let accepted = before
  let refused = 0
  await inParallel(left, async (row) => {
    const body = { ...bodyOf(job, row), client_ref: results.refOf(row.line) }
    const answer = await post(job.api, '/api/sms/send-template', body)
    const [message] = (answer.body.message_ids ?? []) as string[]
    const error = message ? undefined : sentenceOf(answer)
    results.add({ line: row.line, phone: phoneOf(job, row), ...(message ? { message } : { error: error! }) })
    if (message) accepted++
    else refused++
    onProgress(accepted + refused)
  })
  return { accepted, before, refused }
}

/** Asks for the text of each row; nothing is sent. Returns the first texts and why rows would be refused. */
export async function tryRows(job: Job, onProgress: OnProgress) {
  const texts: string[] = []
  const refused: string[] = []
  let segments = 0
  let done = 0
  await inParallel(job.rows, async (row) => {
    const answer = await post(job.api, '/api/sms/preview', bodyOf(job, row))
    if (answer.status !== 200) refused.push(`line ${row.line}: ${sentenceOf(answer)}`)
    else segments += Number(answer.body.total_segments)
    if (answer.status === 200 && texts.length < SHOWN_TEXTS)
      texts.push(`${phoneOf(job, row)}: ${answer.body.body}`)
    onProgress(++done)
  })
  return { segments, texts, refused }
}

const phoneOf = ({ phoneColumn }: Job, { values }: CsvRow) =>
  (values[phoneColumn] ?? '').replace(/[\s()./-]/g, '')

function bodyOf(job: Job, row: CsvRow) {
  const { [job.phoneColumn]: _, ...variables } = row.values
  return { recipients: [phoneOf(job, row)], bulk: true, template_id: job.template, variables }
}

/** The reason of a refusal. Throws it when no other row would fare better. */
function sentenceOf({ status, body }: ApiResponse): string {
  const sentence = String(body.message ?? `The server answered ${status}.`)
  if (STOPPING.has(status))
    throw new UserError(`${sentence}. Mended, the same command goes on where this one ended.`)
  return sentence
}

/** The first failure ends all, once what runs has ended. */
async function inParallel(rows: readonly CsvRow[], work: (row: CsvRow) => Promise<void>): Promise<void> {
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

interface Api {
  /** Without a closing slash. */
  readonly url: string
  readonly key: string
}

/** An answer below 500. */
interface ApiResponse {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

const TIMEOUT_MS = 30_000
const PASSING = new Set([408, 425, 429])
/** Pauses between tries; after the last the server counts as away. */
const PAUSES_MS = [500, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000]

/** Posts JSON, and retries while the server is unreachable. Throws a UserError when it gives up. */
async function post({ url, key }: Api, path: string, body: unknown): Promise<ApiResponse> {
  for (const pauseMs of [...PAUSES_MS, undefined]) {
    const answer = await tryPost(url + path, key, JSON.stringify(body))
    if (answer) return answer
    if (pauseMs !== undefined) await sleep(pauseMs)
  }
  throw new UserError(`${url} does not answer. The same command goes on later where this one ended.`)
}

/** Undefined when trying again may help. */
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
    // no retry resolves `no_devices`, since the user has to add a device
    const isPassing = PASSING.has(status) || (status >= 500 && answer.error !== 'no_devices')
    return isPassing ? undefined : { status, body: answer }
  } catch {
    return undefined
  }
}
