import { UserError } from '../errors.ts'
import { type Api, type ApiResponse, post } from './api.ts'
import type { CsvRow } from './csv.ts'
import type { Results } from './results.ts'

/** What is to be sent, to whom. */
export interface Job {
  readonly api: Api
  readonly template: string
  /** The column with the numbers; the others are the template's variables. */
  readonly phoneColumn: string
  readonly rows: readonly CsvRow[]
}

/** Rows that were accepted, of them those that an earlier run had sent, and those that were refused. */
export interface Totals {
  readonly accepted: number
  readonly before: number
  readonly refused: number
}

/** What a dry run found: segments of all, the first texts, and the rows that would be refused. */
export interface Trial {
  readonly segments: number
  readonly texts: readonly string[]
  readonly refused: readonly string[]
}

type Told = (done: number, refused: number) => void

const AT_ONCE = 8
const SHOWN_TEXTS = 3
/** What a person has to mend before any other row can be sent. */
const STOPPING = new Set([401, 402, 403, 503])

/** Sends each row that `results` does not have as accepted. Throws a UserError for what stops them all. */
export async function sendRows(job: Job, results: Results, told: Told): Promise<Totals> {
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
    told(accepted + refused, refused)
  })
  return { accepted, before, refused }
}

/** Asks for the text of each row; nothing is sent. */
export async function tryRows(job: Job, told: Told): Promise<Trial> {
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
    told(++done, refused.length)
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
