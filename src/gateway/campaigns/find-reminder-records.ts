import type { Store } from '../../engine/collections/catalog.ts'
import { quoteName, toColumnName } from '../../engine/collections/sql-names.ts'
import { type Field, isMulti, type Value } from '../../engine/fields/field.ts'
import { compileFilter } from '../../engine/filter/compile-filter.ts'
import type { ReminderSource } from './reminder-source.ts'
import type { DateWindow } from './reminder-times.ts'

/** A record with a date. */
export interface DatedRecord {
  readonly id: string
  /** As it is stored. */
  readonly date: string
  /** The number as it is written; '' for none. */
  readonly phone: string
  readonly values: readonly Value[]
}

interface Wanted {
  /** The records whose dates are in it and, with `after`, come after a record in the order of a page. */
  readonly within?: DateWindow
  readonly after?: DatedRecord | undefined
  /** Finds only records without a stored row of this campaign. Not for dates that come each year. */
  readonly withoutRowOf?: string | undefined
  /** The records with these ids. */
  readonly ids?: readonly string[]
  /** Fields whose values are read. */
  readonly fields?: readonly Field[]
  readonly limit: number
  /** Default: by date and id; by id if dates come each year. `soonest` and `latest` have no `after`. */
  readonly order?: 'soonest' | 'latest'
}

const MAX_VALUE = 1_600

/**
 * Finds records of a reminder's collection that the list rule shows to the owner of its account, and that the
 * filter matches. Throws FilterError, and 400 for a filter that is not allowed.
 */
export async function findReminderRecords(
  store: Store,
  source: ReminderSource,
  { within, after, withoutRowOf, ids, fields = [], limit, order }: Wanted,
): Promise<DatedRecord[]> {
  const { collection, rule, filter, request, user, owners, phone } = source
  const { ticket } = store.db
  const compiled = compileFilter(store.catalog, {
    collection,
    rule,
    filter,
    sort: '',
    request,
    ticket,
  })
  if (compiled.never) return []
  const params = [...compiled.params]
  const bind = (value: unknown, type = 'text') => `$${params.push(value)}::${type}`
  const column = (field: string) => `b.${quoteName(toColumnName(field))}`
  const date = source.isOfContacts ? writeMember(bind(source.date)) : column(source.date)
  const account = owners.length > 0 || phone?.type === 'relation' ? bind(user) : ''
  const conditions = [compiled.where || 'true', `${date} <> ''`]
  if (owners.length > 0)
    conditions.push(
      owners
        .map((field) => `${account} = ${isMulti(field) ? 'any' : ''}(${column(field.name)})`)
        .join(' or '),
    )
  const days = within && within.days.length > 0 ? bind(within.days, 'text[]') : ''
  const day = `substr(${date}, 6, 5)`
  if (days) conditions.push(`${day} = any(${days})`)
  else if (within)
    conditions.push(`${date} >= ${bind(within.from)} and ${date} < ${bind(within.to)}`)
  if (ids) conditions.push(`b."id" = any(${bind(ids, 'text[]')})`)
  if (after)
    conditions.push(
      days
        ? `b."id" > ${bind(after.id)}`
        : `(${date}, b."id") > (${bind(after.date)}, ${bind(after.id)})`,
    )
  // `offset 0` prevents a join: with old statistics, that compared each record with all rows of the campaign
  if (withoutRowOf && !days)
    conditions.push(`not exists (select from campaign_recipients r where r.campaign = ${bind(withoutRowOf)}
      and r.occurrence = b."id" || ' ' || ${date} and r.occurrence <> '' offset 0)`)
  const year = order === 'soonest' ? `array_position(${days}, ${day}), ` : ''
  const orders = order === 'latest' ? `${date} desc` : days ? `${year}b."id"` : `${date}, b."id"`
  const values = fields.map(({ name, type }) =>
    type === 'text' || type === 'url' ? `left(${column(name)}, ${MAX_VALUE})` : column(name),
  )
  const number = writePhone(source, account)
  const text = `select b."id", ${[date, number, ...values].join(', ')} from ${compiled.from}
    where ${conditions.map((one) => `(${one})`).join(' and ')} order by ${orders} limit ${limit}`
  const { rows } = await store.db.shaped(text, params)
  return rows.map(([id, at, to, ...found]) => ({
    id: String(id),
    date: String(at),
    phone: String(to ?? ''),
    values: found as Value[],
  }))
}

/** SQL of the number of row `b`; of a contact only if it is one of the account. */
function writePhone({ phone }: ReminderSource, account: string): string {
  if (!phone) return 'b."phone"'
  const column = `b.${quoteName(toColumnName(phone.name))}`
  if (phone.type !== 'relation') return `left(${column}, 300)`
  return `(select c.phone from contacts c where c.id = ${column} and c."user" = ${account})`
}

const writeMember = (name: string): string =>
  `(case when json_typeof(b."data") = 'object' then b."data" ->> ${name} else '' end)`
