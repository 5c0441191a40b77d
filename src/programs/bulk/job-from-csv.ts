import { UserError } from '../../platform/api-errors.ts'
import { chooseRowPhone } from '../../portable/phone/choose-row-phone.ts'
import { guessColumns } from '../../portable/phone/guess-columns.ts'
import { findCountryNamed } from '../../portable/phone/numbering-plans.ts'
import { isNumberCell } from '../../portable/phone/numbers-in-cell.ts'
import { type CsvRow, readCsv } from './csv.ts'

export type BulkOptions = Record<
  'csv' | 'template' | 'url' | 'key' | 'phoneColumn' | 'country' | 'results',
  string
> & {
  readonly dryRun: boolean
}

export function makeBulkJob(
  { url, key, template, phoneColumn, country }: BulkOptions,
  text: string,
): BulkJob {
  // `sms.example.com:8090` also parses as a URL, with the scheme `sms.example.com`
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new UserError('Name the server with --url or POCKETSMS_URL, as https://sms.example.com')
  if (key === '') throw new UserError('Name an API key with --key or POCKETSMS_KEY.')
  if (country !== '' && !findCountryNamed(country))
    throw new UserError(`--country ${country} is no country: name it by its ISO 3166 code, as DE.`)
  const rows = readCsv(text)
  if (rows.length === 0) throw new UserError('The file has a head and no rows.')
  const columns = findPhoneColumns(rows, phoneColumn, country)
  return { url: url.replace(/\/+$/, ''), key, template, columns, country, rows }
}

export interface BulkJob {
  /** Without a trailing slash. */
  readonly url: string
  readonly key: string
  readonly template: string
  /** The columns with the phone numbers; the others are the template's variables. */
  readonly columns: ReturnType<typeof findPhoneColumns>
  /** The country of numbers without a calling code, as ISO 3166 alpha-2; '' for none. */
  readonly country: string
  readonly rows: readonly CsvRow[]
}

export function findRowPhone({ columns, country }: BulkJob, { values }: CsvRow): string {
  const head = Object.keys(values)
  const cells = Object.values(values)
  const phones = columns.titles.map((title) => head.indexOf(title))
  const { phone } = chooseRowPhone(head, cells, { phones }, country)
  return phone ?? phones.map((at) => cells[at]).find(Boolean) ?? ''
}

/** Whether a row's number is as people dial it within a country, and the command names none. */
export const lacksCountry = (job: BulkJob, row: CsvRow): boolean =>
  job.country === '' && /^(?!00)[\d(][\d\s()./-]{4,}$/.test(findRowPhone(job, row).trim())

export function makeRowBody(job: BulkJob, row: CsvRow) {
  const variables = Object.fromEntries(
    Object.entries(row.values).filter(([title]) => !job.columns.titles.includes(title)),
  )
  const recipients = [findRowPhone(job, row)]
  const template_id = job.template
  return { recipients, bulk: true, template_id, variables, requires_values: true }
}

const DEFAULT = 'phone'

/**
 * Names the columns with the numbers: `wanted`, by default `phone`, otherwise those whose cells have numbers.
 * `isGuessed`: neither the user nor the file has named them. Throws a UserError if there is none.
 */
function findPhoneColumns(rows: readonly CsvRow[], wanted: string, country: string) {
  const head = Object.keys(rows[0]!.values)
  const named = wanted || DEFAULT
  if (head.includes(named)) return { titles: [named], isGuessed: false }
  if (wanted) throw new UserError(`The file has no column ${wanted}: ${HELP}`)
  if (head.some((title) => isNumberCell(title, country)))
    throw new UserError(
      'The first line has a phone number: write a line with column names before it.',
    )
  const cells = rows.map(({ values }) => head.map((title) => values[title]!))
  const titles = guessColumns(head, cells, country).phones.map((at) => head[at]!)
  if (titles.length === 0) throw new UserError(`The file has no column with numbers: ${HELP}`)
  return { titles, isGuessed: true }
}

const HELP = 'name the one with the numbers with --phone.'
