import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { INSTANT } from '../../engine/fields/date-schema.ts'
import type { Config } from '../../platform/config.ts'
import { evaluateSql } from '../../platform/db/call-function.ts'
import { queries } from '../../platform/db/queries.ts'
import { DECIMAL } from '../base/currency.ts'
import { writeOnlineSince } from '../base/device-record.ts'
import { SERVER_REFS } from '../base/server-refs.ts'
import { countInbox } from '../conversations/count-inbox.ts'
import { loadLineCosts } from '../lines/line-costs.ts'
import { countMessagesByDay, USAGE_DAYS } from '../messages/usage-days.ts'
import { selectFormerMembers } from './former-members.ts'

const DAYS = 7
const COUNT = z.int().min(0)

const PERSON = z.object({
  sender: z.string().describe('Of `senders`.'),
  open: COUNT.describe('Conversations that are assigned to the person and not archived.'),
  answers: COUNT,
  median_seconds: z
    .number()
    .nullable()
    .describe('How long people waited for these answers; null: there was none.'),
})

const HAND = z.object({
  kind: z.enum(['silent_device', 'failing_line', 'failed_campaign', 'former_member']),
  id: z.string(),
  name: z.string(),
  since: INSTANT,
})

export const TODAY = z
  .object({
    days: USAGE_DAYS.shape.days.describe('The last 7 days; today is the last.'),
    waiting: COUNT.describe('Conversations that wait for an answer, up to 1,000.'),
    devices: z
      .object({ online: COUNT, all: COUNT })
      .describe('Enabled devices, without simulated ones.'),
    lines: z
      .object({ online: COUNT, all: COUNT })
      .describe('Enabled lines of these devices; online: the device is, and texts do not fail.'),
    cost: z
      .object({
        currency: z.string(),
        spent: DECIMAL,
        budget: DECIMAL.nullable().describe('The sum of the budgets; null: a line has none.'),
      })
      .nullable()
      .describe('Of this month; null: no line has prices.'),
    people: z
      .array(PERSON)
      .describe('The owner and the members, with the first answers of 7 days.'),
    hands: z.array(HAND).describe('What a person has to look after.'),
  })
  .meta({ id: 'Today' })

export async function loadToday(
  store: Store,
  user: string,
  { deviceOnlineSeconds }: Pick<Config, 'deviceOnlineSeconds'>,
  at: Date,
): Promise<z.output<typeof TODAY>> {
  return {
    ...(await countMessagesByDay(store, user, DAYS, at)),
    waiting: (await countInbox(store.db, user, '')).waiting,
    devices: await countDevices(store, user, deviceOnlineSeconds),
    lines: await countLines(store, user, deviceOnlineSeconds),
    cost: await sumCosts(store, user),
    people: await loadPeople(store, user),
    hands: await listHands(store, user, deviceOnlineSeconds),
  }
}

const writeOnline = (seconds: number) =>
  sql<boolean>`d.last_seen >= ${sql.raw(writeOnlineSince(String(Number(seconds))))}`

const countDevices = ({ db }: Store, user: string, seconds: number) =>
  queries(db)
    .selectFrom('devices as d')
    .select(({ fn }) => [
      fn.countAll<number>().filterWhere(writeOnline(seconds)).as('online'),
      fn.countAll<number>().as('all'),
    ])
    .where('d.user', '=', user)
    .where('d.enabled', '=', true)
    .where('d.platform', '<>', 'simulator')
    .executeTakeFirstOrThrow()

const countLines = ({ db }: Store, user: string, seconds: number) =>
  queries(db)
    .selectFrom('lines as l')
    .innerJoin('devices as d', 'd.id', 'l.device')
    .select(({ fn, eb }) => [
      fn
        .countAll<number>()
        .filterWhere(eb.and([writeOnline(seconds), eb('l.failing_since', '=', '')]))
        .as('online'),
      fn.countAll<number>().as('all'),
    ])
    .where('l.user', '=', user)
    .where('l.enabled', '=', true)
    .where('l.present', '=', true)
    .where('d.enabled', '=', true)
    .where('d.platform', '<>', 'simulator')
    .executeTakeFirstOrThrow()

/** The costs of this month's texts, and their limit. */
async function sumCosts(store: Store, user: string) {
  const { currency, items } = await loadLineCosts(store, user)
  const month = await evaluateSql(store.db, sql<string>`left(sms_local_day(${user}, now()), 7)`)
  const lines = await queries(store.db)
    .selectFrom('lines')
    .select('monthly_budget')
    .where('user', '=', user)
    .where('enabled', '=', true)
    .where(sql<boolean>`pb_is_set(prices)`)
    .execute()
  if (lines.length === 0) return null
  const spent = items.filter((item) => item.month === month).map(({ cost }) => cost)
  const budgets = lines.map(({ monthly_budget }) => monthly_budget)
  return {
    currency,
    spent: await sumDecimals(store, spent),
    budget: budgets.includes('') ? null : await sumDecimals(store, budgets),
  }
}

const sumDecimals = ({ db }: Store, decimals: readonly string[]): Promise<string> =>
  evaluateSql(
    db,
    sql<string>`(select coalesce(sum(d::numeric), 0)::text from unnest(${decimals}::text[]) d)`,
  )

/** Received texts among which first answers are searched: the latest of 7 days. */
const MAX_RECEIVED = 2_000

/**
 * Reads how long people waited for first answers, from the first text after an answer to the next of a
 * person. A failed or canceled text is no answer, nor is the server's own to HELP or a word that joins; a
 * scheduled one is an answer once it is due.
 */
const loadPeople = ({ db }: Store, user: string) =>
  queries(db, 'shaped')
    .selectFrom('senders as s')
    .leftJoin(
      ({ selectFrom }) =>
        selectFrom(
          sql<{ sent_by: string; seconds: number }>`(
            select a.sent_by, extract(epoch from max(greatest(a.created, a.scheduled_at))::timestamptz - min(r.created)::timestamptz) as seconds
            from (
              select m._rowid, m."from" as number, m.created from sms_messages m
              where m."user" = ${user} and m.message_type = 'incoming'
                and m.created >= pb_text(now() - ${sql.lit(DAYS)} * interval '1 day')
              order by m.created desc limit ${sql.lit(MAX_RECEIVED)}
            ) r cross join lateral (
              select o._rowid, o.created, o.scheduled_at, o.sent_by from sms_messages o
              where o."user" = ${user} and o."to" = r.number and o._rowid > r._rowid
                and o.status <> 'failed' and o.client_ref not like ${sql.lit(`${SERVER_REFS.answer}%`)}
                and o.scheduled_at <= pb_text(now())
                and o.sent_by in (
                  select p.id from senders p where p."user" = ${user} and p.kind in ('owner', 'member'))
              order by o._rowid limit 1
            ) a
            group by a._rowid, a.sent_by
          )`.as('w'),
        )
          .select(['w.sent_by'])
          .select(({ fn }) => [
            fn.countAll<number>().as('answers'),
            sql<number>`percentile_cont(0.5) within group (order by w.seconds)::float8`.as(
              'median',
            ),
          ])
          .groupBy('w.sent_by')
          .as('f'),
      (join) => join.onRef('f.sent_by', '=', 's.id'),
    )
    .leftJoin('members as m', 'm.id', 's.id')
    .select(['s.id as sender', 'f.median as median_seconds'])
    .select(sql<number>`coalesce(f.answers, 0)`.as('answers'))
    .select(
      sql<number>`(select count(*) from conversations c
        where c."user" = ${user} and c.assignee = s.id and c.assignee <> '' and not c.archived)`.as(
        'open',
      ),
    )
    .where('s.user', '=', user)
    .where(sql<boolean>`(s.kind = 'owner' or s.kind = 'member' and m.id is not null)`)
    .orderBy('s.name')
    .orderBy('s.id')
    .execute()

const MAX_HANDS = 20

/** Silent devices, failing lines, campaigns that failed in the last 7 days, and members to decide on. */
async function listHands({ db }: Store, user: string, seconds: number) {
  const hand = (kind: z.output<typeof HAND>['kind']) =>
    sql<typeof kind>`${sql.lit(kind)}`.as('kind')
  const devices = await queries(db)
    .selectFrom('devices as d')
    .select([hand('silent_device'), 'd.id', 'd.name', 'd.last_seen as since'])
    .where('d.user', '=', user)
    .where('d.enabled', '=', true)
    .where('d.platform', '<>', 'simulator')
    .where(({ not }) => not(writeOnline(seconds)))
    .where(sql<boolean>`alarms_is_silent(d.id, d.last_seen, d.push)`)
    .limit(sql.lit(MAX_HANDS))
    .execute()
  const lines = await queries(db)
    .selectFrom('lines as l')
    .select([
      hand('failing_line'),
      'l.id',
      sql<string>`coalesce(nullif(l.label, ''), l.number)`.as('name'),
      'l.failing_since as since',
    ])
    .where('l.user', '=', user)
    .where('l.enabled', '=', true)
    .where('l.failing_since', '<>', '')
    .limit(sql.lit(MAX_HANDS))
    .execute()
  const campaigns = await queries(db)
    .selectFrom('campaigns as c')
    .select([hand('failed_campaign'), 'c.id', 'c.updated as since'])
    .select(sql<string>`coalesce(nullif(c.name, ''), left(c.body, 40))`.as('name'))
    .where('c.user', '=', user)
    .where('c.status', '=', 'failed')
    .where(sql<boolean>`c.created >= pb_text(now() - ${sql.lit(DAYS)} * interval '1 day')`)
    .limit(sql.lit(MAX_HANDS))
    .execute()
  const members = await selectFormerMembers(db, user).select(hand('former_member')).execute()
  return [...devices, ...lines, ...campaigns, ...members]
}
