import { defineCommand } from 'citty'
import { runProgramCommand, UserError } from '../errors.ts'
import { showProgress } from '../tools/progress.ts'
import { readText } from '../tools/read-text.ts'
import { readCsv } from './csv.ts'
import { openResults } from './results.ts'
import { type Job, sendRows, tryRows } from './send-rows.ts'

const SHOWN_REFUSALS = 10

export type BulkOptions = Record<'csv' | 'template' | 'url' | 'key' | 'phoneColumn' | 'results', string> & {
  readonly dryRun: boolean
}

/** Sends a CSV, or only tries to. `say` gets lines for the user. Throws a UserError. */
export async function sendCsv(options: BulkOptions, say: (line: string) => void): Promise<void> {
  const text = readText(options.csv)
  const job = jobOf(options, text)
  const progress = showProgress(process.stderr)
  const onProgress = (done: number) => progress('rows', done, job.rows.length)
  if (options.dryRun) return trial(job, onProgress, say)
  const results = openResults(options.results, text, options.template)
  try {
    const { accepted, before, refused } = await sendRows(job, results, onProgress)
    const earlier = before > 0 ? `, ${before} of them earlier` : ''
    say(
      `${accepted} of ${job.rows.length} accepted${earlier}, ${refused} refused. Row by row: ${options.results}`,
    )
    if (refused > 0) process.exitCode = 1
  } finally {
    results.close()
  }
}

async function trial(job: Job, onProgress: (done: number) => void, say: (line: string) => void) {
  const { segments, texts, refused } = await tryRows(job, onProgress)
  for (const text of texts) say(text)
  for (const reason of refused.slice(0, SHOWN_REFUSALS)) say(reason)
  if (refused.length > SHOWN_REFUSALS) say(`… and ${refused.length - SHOWN_REFUSALS} more`)
  say(
    `${job.rows.length - refused.length} messages, ${segments} segments, ${refused.length} refused. Nothing was sent.`,
  )
  if (refused.length > 0) process.exitCode = 1
}

function jobOf({ url, key, template, phoneColumn }: BulkOptions, text: string): Job {
  // `sms.example.com:8090` could be parsed, too: its scheme would be `sms.example.com`
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new UserError('Name the server with --url or POCKETSMS_URL, as https://sms.example.com')
  if (key === '') throw new UserError('Name an API key with --key or POCKETSMS_KEY.')
  const rows = readCsv(text)
  if (rows.length === 0) throw new UserError('The file has a head and no rows.')
  if (!(phoneColumn in rows[0]!.values))
    throw new UserError(`The file has no column ${phoneColumn}: name the one with the numbers with --phone.`)
  return { api: { url: url.replace(/\/+$/, ''), key }, template, phoneColumn, rows }
}

const text = (description: string, valueHint: string) => ({ type: 'string', description, valueHint }) as const

/** `pocketsms send`: a template to each row of a file. */
export const sendCommand = defineCommand({
  meta: { name: 'send', description: 'Send a template to each row of a CSV file, over HTTP.' },
  args: {
    csv: { ...text('a head with column names, then a row each', 'FILE'), required: true },
    template: { ...text('id of the template; its variables are the columns', 'ID'), required: true },
    url: text('the server (default: POCKETSMS_URL, else http://127.0.0.1:8090)', 'URL'),
    key: text('an API key (default: POCKETSMS_KEY, which other users of the machine cannot see)', 'KEY'),
    phone: { ...text('the column with the numbers', 'COLUMN'), default: 'phone' },
    results: text(
      'where each row is noted, and what a later run goes on from (default: FILE.results)',
      'FILE',
    ),
    'dry-run': { type: 'boolean', description: 'show what would be sent, and send nothing', default: false },
  },
  async run({ args }) {
    const { POCKETSMS_URL, POCKETSMS_KEY } = process.env
    const options = {
      csv: args.csv,
      template: args.template,
      url: args.url || POCKETSMS_URL || 'http://127.0.0.1:8090',
      key: args.key || POCKETSMS_KEY || '',
      phoneColumn: args.phone,
      results: args.results || `${args.csv}.results`,
      dryRun: args['dry-run'],
    }
    await runProgramCommand(() => sendCsv(options, (line) => void process.stdout.write(`${line}\n`)))
  },
})
