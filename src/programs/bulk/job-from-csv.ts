import { UserError } from '../../platform/errors.ts'
import { phoneIn } from '../../portable/phone/row.ts'
import { type CsvRow, readCsv } from './csv.ts'
import { phoneColumns } from './phone-columns.ts'

export type BulkOptions = Record<
  'csv' | 'template' | 'url' | 'key' | 'phoneColumn' | 'country' | 'results',
  string
> & {
  readonly dryRun: boolean
}

export function jobOf({ url, key, template, phoneColumn, country }: BulkOptions, text: string): Job {
  // `sms.example.com:8090` also parses as a URL, with the scheme `sms.example.com`
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new UserError('Name the server with --url or POCKETSMS_URL, as https://sms.example.com')
  if (key === '') throw new UserError('Name an API key with --key or POCKETSMS_KEY.')
  const rows = readCsv(text)
  if (rows.length === 0) throw new UserError('The file has a head and no rows.')
  const columns = phoneColumns(rows, phoneColumn, country)
  return { url: url.replace(/\/+$/, ''), key, template, columns, country, rows }
}

export interface Job {
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

export function phoneOf({ columns, country }: Job, { values }: CsvRow): string {
  const head = Object.keys(values)
  const cells = Object.values(values)
  const phones = columns.titles.map((title) => head.indexOf(title))
  const { phone } = phoneIn(head, cells, { phones }, country)
  return phone ?? phones.map((at) => cells[at]).find(Boolean) ?? ''
}

export function bodyOf(job: Job, row: CsvRow) {
  const variables = Object.fromEntries(
    Object.entries(row.values).filter(([title]) => !job.columns.titles.includes(title)),
  )
  return { recipients: [phoneOf(job, row)], bulk: true, template_id: job.template, variables }
}
