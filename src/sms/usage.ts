import { z } from 'zod'
import type { Store } from '../collections/catalog.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/open.ts'
import {
  list,
  number,
  part,
  type Row,
  run,
  runForRow,
  runForTexts,
  statement,
  text,
} from '../db/statement.ts'
import { formatDate } from '../fields/date.ts'
import { INSTANT } from '../fields/instant.ts'
import { storedBytes } from '../files/storage-limit.ts'
import { invalid } from './send/shape.ts'
import { CANCELED_SQL, logChanged, STATUSES } from './status.ts'

export const USAGE = z
  .object({
    period: z
      .string()
      .regex(/^\d{4}-\d\d$/)
      .describe('The calendar month, in UTC.'),
    used: z.int().min(0).describe('Messages accepted in it; canceled ones came back.'),
    quota: z.int().min(0).describe('Messages that may be accepted; 0: without limit.'),
    remaining: z.int().min(0).nullable().describe('null without a limit.'),
    resets_at: INSTANT.describe('When the next month begins.'),
  })
  .meta({ id: 'Usage' })

export const ACCOUNT_USAGE = USAGE.extend({
  files: z.object({
    bytes: z.int().min(0).describe('The size of its files; each counts as at least 4,096.'),
    limit: z.int().min(0).describe('Their maximum size; 0: no limit.'),
  }),
}).meta({ id: 'AccountUsage' })

/** Reads a user's quota and usage. `usual`: the quota of users without a quota of their own. */
const READ = statement('sms usage', { quota: 'number', used: 'number' })`
select case when u.monthly_quota > 0 then u.monthly_quota else ${number('usual')}::float8 end as quota, coalesce(s.used, 0) as used
from users u left join sms_usage s on s."user" = u.id and s.period = ${text('period')} where u.id = ${text('user')}`

/** A user's accepted messages and quota in the month (UTC) of `at`. `remaining`: null for no limit. */
export async function readUsage(store: Store, user: string, config: Pick<Config, 'monthlyQuota'>, at: Date) {
  const period = formatDate(at).slice(0, 7)
  const found = await runForRow(store.db, READ, { user, period, usual: config.monthlyQuota })
  const { quota, used } = found ?? { quota: 0, used: 0 }
  const remaining = quota === 0 ? null : Math.max(0, quota - used)
  const next = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1))
  return { period, used, quota, remaining, resets_at: formatDate(next) }
}

export async function readAccountUsage(
  store: Store,
  user: string,
  config: Pick<Config, 'monthlyQuota' | 'maxAccountFileBytes'>,
  at: Date,
): Promise<z.output<typeof ACCOUNT_USAGE>> {
  const usage = await readUsage(store, user, config, at)
  const bytes = await storedBytes(store.db, user)
  return { ...usage, files: { bytes, limit: config.maxAccountFileBytes } }
}

const GIVE_BACK = statement('sms give back', { id: 'string' })`
update sms_usage set used = greatest(used - ${number('messages')}::float8, 0), updated = ${text('updated')}
where "user" = ${text('user')} and period = ${text('period')} and used > 0 returning id`

/** Refunds unsent messages to the month of their quota (`period`), in the transaction that ends them. */
export async function refundQuota(store: Pick<Store, 'db'>, user: string, period: string, messages = 1) {
  const values = { user, period, messages, updated: formatDate(new Date()) }
  await logChanged(store, 'sms_usage', 'update', await runForTexts(store.db, GIVE_BACK, values))
}

const DEFAULT_DAYS = 30
const MAX_DAYS = 366

/** Messages by the day they were accepted or received, and by the status they have now. */
export const USAGE_DAYS = z
  .object({
    days: z.array(
      z.object({
        day: z
          .string()
          .regex(/^\d{4}-\d\d-\d\d$/)
          .describe("In the time zone of the account's `user_settings`, else in UTC."),
        counts: z
          .partialRecord(z.enum([...STATUSES, 'canceled']), z.int().min(1))
          .describe(
            'Messages by status, without empty ones. `canceled`: canceled messages, which `failed` does not count.',
          ),
      }),
    ),
  })
  .meta({ id: 'UsageDays' })

/** Parses the query parameter `days`: 1 to 366, 30 when absent. Throws 400. */
export function readDays(raw: string | undefined): number {
  if (raw === undefined) return DEFAULT_DAYS
  const days = Number(raw)
  if (Number.isInteger(days) && days >= 1 && days <= MAX_DAYS) return days
  throw invalid(`days must be a whole number from 1 to ${MAX_DAYS}`)
}

/** SQL: a message's status in statistics, in which `failed` excludes `canceled`. */
const STATE = `case when m.status = 'failed' and m.error_message in ${CANCELED_SQL} then 'canceled' else m.status end`

/** The last days in a user's time zone, oldest first, and the instants at which they begin. */
const DAYS = statement('sms usage day starts', { day: 'string', starts: 'string' })`
select to_char(d, 'YYYY-MM-DD') as day, pb_text(d at time zone z.zone) as starts
from (select sms_time_zone(${text('user')}) as zone) z cross join lateral (
  select (${text('at')}::timestamptz at time zone z.zone)::date::timestamp as today) t cross join lateral
  generate_series(t.today - ${number('back')} * interval '1 day', t.today, '1 day') d order by d`

const COLUMNS = { day: 'number', status: 'string', messages: 'number' } as const
const COUNT = part`
select width_bucket(m.created::text, ${list('starts')}::text[]) as day, ${STATE} as status, count(*) as messages
from sms_messages m where m.created >= (${list('starts')}::text[])[1]`
const OF_USER = statement('sms usage days', COLUMNS)`${COUNT} and m."user" = ${text('user')} group by 1, 2`
const OF_ALL = statement('sms usage days of all', COLUMNS)`${COUNT} group by 1, 2`

/** Counts messages of each of the last `days` days up to `at`, oldest first. `user`: null for all users. */
export async function countDays(store: Store, user: string | null, days: number, at: Date) {
  const all = await run(store.db, DAYS, { user: user ?? '', at: formatDate(at), back: days - 1 })
  const starts = all.map((one) => one.starts)
  const rows =
    user === null
      ? await run(store.db, OF_ALL, { starts }, 'shaped')
      : await run(store.db, OF_USER, { starts, user }, 'shaped')
  const found = all.map(({ day }) => ({ day, counts: {} as Record<string, number> }))
  for (const { day, status, messages } of rows) found[day - 1]!.counts[status] = messages
  return { days: found }
}

/** SQL: the number of messages of `user` (SQL), or of all users, in the statement's snapshot. */
export const totalSql = (table: string, user?: string): string => `coalesce((
  SELECT sum(c.messages)::bigint
    + coalesce((SELECT sum(t.messages)::bigint FROM sms_turns t${user ? ` WHERE t."user" = ${user}` : ''}), 0)
  FROM sms_totals c
  WHERE c.relation = '${table}'::regclass${user ? ` AND c."user" IN ('', ${user})` : ''} HAVING bool_or(c."user" = '')),
  sms_counted(${user ?? 'NULL'}))`

/**
 * Finds a row if messages must be counted: the table has its triggers, but no totals. A recreated table gets
 * its triggers at the next start.
 */
const IS_TO_DO = `select 1 from pg_trigger
  where tgrelid = to_regclass('sms_messages') and tgname = 'sms_messages_came'
    and not exists (select from sms_totals where relation = tgrelid and "user" = '')`

/** Counts each user's messages after an upgrade. Meanwhile sends wait: 1 s for a few million messages. */
export async function countMessages(db: Db): Promise<void> {
  const isToDo = async (inside: Db) => (await inside.query(IS_TO_DO)).rows.length > 0
  if (!(await isToDo(db))) return
  await db.transaction(async (inside) => {
    await inside.limitStatements(0)
    await inside.query('select pg_advisory_xact_lock(hashtext($1))', ['sms_totals'])
    if (await isToDo(inside)) await inside.query('select sms_count_all()')
  })
}

/** Deletes deleted users' totals if they are 0. First counts messages again if necessary. */
export async function keepTotals(db: Db): Promise<void> {
  await countMessages(db)
  await db.transaction(async (inside) => {
    await inside.script('lock table sms_totals in exclusive mode')
    await inside.query(
      `delete from sms_totals t using (
  select relation, "user" from sms_totals where "user" <> '' group by 1, 2 having sum(messages) = 0
    and not exists (select from sms_turns t where t."user" = sms_totals."user")
      ) n where t.relation = n.relation and t."user" = n."user"`,
    )
  })
}

/** A line is near a limit once it has used this share of it. */
const NEAR = 0.9
const MAX_NAMES = 10

const COUNTS = statement('line figures', { near: 'number', full: 'number', all: 'number' })`
select count(*) filter (where not is_full) as near, count(*) filter (where is_full) as full,
  (select count(*) from lines l join devices d on d.id = l.device where l.enabled and l.present and d.enabled) as all
from sms_lines_near_limits(${NEAR})`

/** Counts enabled lines: free, near a limit, at a limit (`full`). Throws DatabaseUnavailable. */
export async function readLineFigures({ db }: Store) {
  const { near, full, all } = (await runForRow(db, COUNTS, {}))!
  return { free: Math.max(0, all - near - full), near, full }
}

/** Names and counts of full lines and of lines near a limit, by account. */
const NAMED = statement('line warnings', {
  ...{ is_full: 'boolean', owner: 'string', count: 'number', names: 'string[]', total: 'number' },
})`
select n.is_full, n.owner, n.count, n.names, n.total from (
  select is_full, coalesce(nullif(u.email, ''), u.id) as owner, count(*) as count,
    (array_agg(coalesce(nullif(l.label, ''), d.name || case when l.slot > 0 then ' SIM ' || l.slot else '' end)
      order by d.name, l.slot))[1:${MAX_NAMES}] as names,
    row_number() over (partition by is_full order by count(*) desc, u.id) as place,
    sum(count(*)) over (partition by is_full)::int8 as total
  from sms_lines_near_limits(${NEAR}) f join lines l on l.id = f.line join devices d on d.id = f.device
  join users u on u.id = f."user" group by is_full, u.id, u.email
) n where n.place <= ${MAX_NAMES} order by n.is_full desc, n.place`

/** Warnings about lines that have reached or nearly reached a limit: at most 10 accounts, 10 lines each. */
export async function lineWarnings(store: Store): Promise<{ full?: string; near?: string }> {
  const found = await run(store.db, NAMED, {})
  const full = found.filter((one) => one.is_full)
  const near = found.filter((one) => !one.is_full)
  return {
    ...(full[0] && {
      full: `Lines that have reached a limit, so that texts may wait (${full[0].total}): ${accounts(full)}.`,
    }),
    ...(near[0] && { near: `Lines that have used 90 % of a limit (${near[0].total}): ${accounts(near)}.` }),
  }
}

function accounts(found: readonly Row<typeof NAMED>[]) {
  const parts = found.map(({ owner, count, names }) => {
    const more = count - names.length
    return `${owner} (${names.join(', ')}${more > 0 ? ` and ${more} more` : ''})`
  })
  return parts.join('; ')
}
