import { setTimeout as sleep } from 'node:timers/promises'
import { LARGE_HISTORY } from '../../../src/gateway/messages/history-indexes.ts'
import { readSqlFiles } from '../../../src/platform/db/schema/sql-files.ts'
import type { OpenDb } from '../../support/database/open.ts'
import { createDatabase, startPostgres } from '../../support/database/postgres.ts'
import { residentBytes } from '../hostile/meter.ts'
import type { Outcome, Scenario, ScenarioContext } from '../scenario.ts'
import { Site, until } from '../site.ts'
import { Load, makeAccounts, WATCHED } from '../soak/load.ts'
import { READ_ALL } from '../soak/questions.ts'

const MEMORY_EVERY = 20
const SAMPLE_MS = 250

const WAITS = `
select wait_event_type || ':' || wait_event from pg_stat_activity
where datname = current_database() and state = 'active' and wait_event is not null and pid <> pg_backend_pid()`
const TABLES = `
select relname, seq_scan, seq_tup_read, n_tup_upd, n_tup_hot_upd, n_tup_upd + n_tup_del, n_dead_tup, n_live_tup
from pg_stat_user_tables`

interface TableFigures {
  readonly seqScans: number
  readonly seqRows: number
  readonly updates: number
  readonly hot: number
  /** Row versions that were left, those that no vacuum has removed, and present ones. */
  readonly left: number
  readonly dead: number
  readonly live: number
}

type Counts = [number, number, number, number, number, number, number]

/** What Postgres has counted of each table so far. */
async function tableFigures(db: OpenDb): Promise<ReadonlyMap<string, TableFigures>> {
  const { rows } = await db.query(TABLES)
  return new Map(
    rows.map(([name, ...counts]) => {
      const [seqScans, seqRows, updates, hot, left, dead, live] = counts.map(Number) as Counts
      return [String(name), { seqScans, seqRows, updates, hot, left, dead, live }]
    }),
  )
}

/** Samples waits of the database and memory of servers until `signal` aborts. */
async function watch(db: OpenDb, pids: readonly number[], signal: AbortSignal) {
  const waits = new Map<string, number>()
  const memory: { readonly at: number; readonly mb: number }[] = []
  for (let n = 0; !signal.aborted; n++) {
    for (const [wait] of (await db.query(WAITS)).rows)
      waits.set(String(wait), (waits.get(String(wait)) ?? 0) + 1)
    if (n % MEMORY_EVERY === 0) {
      const bytes = Math.max(...(await Promise.all(pids.map(residentBytes))))
      memory.push({ at: performance.now(), mb: bytes / 1024 / 1024 })
    }
    await sleep(SAMPLE_MS, undefined, { signal }).catch(() => {})
  }
  return { waits, memory }
}

const ACCOUNTS = 20
const PHONES_EACH = 2
const RATES = { sends: 150, codes: 2, incoming: 5, lists: 20, exports: 0.1 }
const DRAIN_SECONDS = 120
/** Longer than the pause after the second failed attempt of a webhook call. */
const CALLS_SECONDS = 360
/** What is compared with the end: the first five minutes, or the first third. */
const BEGINNING_MS = 300_000
/** A server that has run for less has not come to its end of growing: a short run is not compared. */
const SHORT_MS = 60_000
const MAX_MB = 260
/** The end may have so much more memory, and p99s that are longer by this factor and time. */
const MEMORY_GROWTH = 1.1
const [SLOWER, SLOWER_MS] = [1.5, 50]
/** Vacuum comes to a table each minute, and may leave a fifth of its rows dead. */
const [VACUUM_SECONDS, DEAD_SHARE] = [150, 0.2]
/** At the end of a run that is long enough to compare. */
const MAX_P99_MS = { list: 100, send: 60 }
const MAX_TOLD = 5
const FEW_ROWS = 5_000
const LARGE_INDEXES = readSqlFiles('indexes/large-history').filter(({ sql }) =>
  / on sms_messages\b/.test(sql),
).length
const HOT_TABLES = [
  'sms_messages',
  'sms_dispatch',
  'webhook_deliveries',
  'webhook_dispatch',
  'sms_usage',
]

/** All at once, for as long as asked: what one kind of request at a time does not show. */
export const soak: Scenario = {
  name: 'soak',
  what: '150 texts a second through their whole life, with webhooks, streams, lists and codes, for --minutes',
  rounds: 1,
  async run(context) {
    const { servers, isOnPostgres } = context.soak
    const postgres = isOnPostgres ? await startPostgres() : undefined
    const url = postgres && (await createDatabase(postgres.url))
    const databaseUrls = url && Array.from({ length: servers }, () => url)
    const env = { WEBHOOK_ALLOW_PRIVATE: 'true' }
    const site = await Site.open({
      ...context,
      nodes: servers,
      env,
      ...(databaseUrls && { databaseUrls }),
    })
    try {
      return await play(site, context)
    } finally {
      await site.close()
      await postgres?.stop()
    }
  },
}

async function play(site: Site, { soak: { minutes } }: ScenarioContext): Promise<Outcome> {
  const accounts = await makeAccounts(
    ACCOUNTS,
    PHONES_EACH,
    () => site.makeUser(),
    (user) => site.addDevice(user),
  )
  const urls = site.nodes.map(({ url }) => url)
  const load = await Load.start(urls, accounts, { isMixed: true })
  const before = await tableFigures(site.db)
  const pids = site.nodes.map(({ pid }) => pid)
  const begin = performance.now()
  const over = AbortSignal.timeout(minutes * 60_000)
  const [{ waits, memory }] = await Promise.all([
    watch(site.db, pids, over),
    load.keepUp(RATES, over),
  ])
  const end = performance.now()
  const after = await tableFigures(site.db)
  const hasRun = async () =>
    (await site.value(`select count(*) from campaigns where status = 'done'`)) > 0
  await until('the campaign has run', hasRun, DRAIN_SECONDS)
  const drained = await site.drain(DRAIN_SECONDS).then(
    () => [],
    ({ message }: Error) => [message],
  )
  const isCalled = async () => (await site.value('select count(*) from webhook_dispatch')) === 0
  const called = await until('all webhooks are called', isCalled, CALLS_SECONDS).then(
    () => [],
    () => openCalls(site.db),
  )
  await load.stop()
  const part = Math.min(BEGINNING_MS, (end - begin) / 3)
  // how many times as many texts there are in the last part as in the first
  const growth = (end - begin - part / 2) / (part / 2)
  const { ledger } = load
  const times = [ledger.quantiles(begin, begin + part), ledger.quantiles(end - part, end)] as const
  // a server that has just begun its work has not yet what it keeps
  const mb = [
    memoryAt(memory, begin + part / 2, begin + part),
    memoryAt(memory, end - part, end),
  ] as const
  const acknowledged = ledger.sent.size
  for (const [id] of (await site.db.query(OUTGOING)).rows) {
    if (!ledger.sent.has(String(id))) ledger.life(String(id), ACCOUNTS)
    ledger.sent.add(String(id))
  }
  const found = ledger.faults(WATCHED)
  return {
    faults: [
      ...drained,
      ...called,
      ...found.slice(0, MAX_TOLD),
      ...(found.length > MAX_TOLD ? [`… and ${found.length - MAX_TOLD} more like these`] : []),
      ...(await wrongStatuses(site, acknowledged + load.others)),
      ...(part < SHORT_MS ? [] : [...drifts(times, mb, growth), ...slow(times[1])]),
      ...(mb[1] > MAX_MB ? [`the server has ${mb[1]} MB`] : []),
      ...queued(waits),
      ...scans(before, after),
      ...dead(before, after, (end - begin) / 1000),
    ],
    figures: [
      `${acknowledged} sent, ${load.others} codes and texts of a campaign, ${ledger.received.size} received, ${ledger.calls} webhook calls`,
      ...[...times[1]].map(
        ([what, now]) => `${what} p50/p99 ${told(times[0].get(what)!)} then ${told(now)} ms`,
      ),
      `memory ${Math.round(mb[0])} then ${Math.round(mb[1])} MB`,
      `waits ${[...waits]
        .sort(([, a], [, b]) => b - a)
        .slice(0, 5)
        .map(([wait, times]) => `${wait} ${times}`)
        .join(', ')}`,
      `dead rows ${HOT_TABLES.map((table) => `${table} ${after.get(table)!.dead}`).join(', ')}`,
      `HOT updates ${HOT_TABLES.map((table) => `${table} ${hotShare(before, after, table)}`).join(', ')}`,
    ].join('\n  '),
  }
}

const OUTGOING = `select id from sms_messages where message_type = 'outgoing'`

const told = ([p50, p99]: readonly [number, number]) => `${p50.toFixed(1)}/${p99.toFixed(0)}`

function memoryAt(memory: readonly { at: number; mb: number }[], from: number, to: number): number {
  const found = memory.filter(({ at }) => at >= from && at < to).map(({ mb }) => mb)
  return found.reduce((sum, mb) => sum + mb, 0) / found.length
}

async function wrongStatuses(site: Site, sent: number): Promise<string[]> {
  const stored = await site.value(
    `select count(*) from sms_messages where status = 'delivered' and message_type = 'outgoing'`,
  )
  return stored === sent ? [] : [`${sent} acknowledged, ${stored} delivered`]
}

/** The calls that are still in the queue, by status, attempts and last answer. */
async function openCalls(db: OpenDb): Promise<string[]> {
  const { rows } = await db.query(
    `select count(*), v.status, v.attempts, v.response_body, min(d.due_at), max(d.due_at)
     from webhook_dispatch d join webhook_deliveries v on v.id = d.delivery group by 2, 3, 4 order by 1 desc limit 5`,
  )
  return rows.map((row) => `webhook calls in the queue: ${row.join(', ')}`)
}

type Times = ReadonlyMap<string, readonly [p50: number, p99: number]>

function drifts(
  [first, last]: readonly [Times, Times],
  [mb, endMb]: readonly [number, number],
  growth: number,
): string[] {
  const slower = [...last].filter(([what, [, p99]]) => {
    const factor = READ_ALL.has(what) ? growth : SLOWER
    return p99 > (first.get(what)?.[1] ?? 0) * factor + SLOWER_MS
  })
  return [
    ...slower.map(
      ([what, [, p99]]) => `p99 of ${what} went from ${first.get(what)?.[1]} to ${p99} ms`,
    ),
    ...(endMb > mb * MEMORY_GROWTH ? [`memory grew from ${mb} to ${endMb} MB`] : []),
  ]
}

/** Requests that take too long at the end. */
function slow(last: Times): string[] {
  return Object.entries(MAX_P99_MS).flatMap(([what, most]) => {
    const p99 = last.get(what)?.[1] ?? Infinity
    return p99 > most ? [`p99 of ${what} is ${p99.toFixed(0)} ms, more than ${most}`] : []
  })
}

/** Commits that wait for each other's NOTIFY. */
function queued(waits: ReadonlyMap<string, number>): string[] {
  const all = [...waits.values()].reduce((sum, times) => sum + times, 0)
  const behind = waits.get('Lock:object') ?? 0
  return behind > all / 50 ? [`${behind} of ${all} waits are for Lock:object`] : []
}

type Figures = ReadonlyMap<string, TableFigures>

/**
 * Accounts with a twentieth of a table of some thousand rows read it whole: that is cheap. In a large
 * history, two reads build each of its indexes.
 */
function scans(before: Figures, after: Figures): string[] {
  const [was, is] = [before.get('sms_messages')!, after.get('sms_messages')!]
  const [times, rows] = [is.seqScans - was.seqScans, is.seqRows - was.seqRows]
  const built = is.live >= LARGE_HISTORY ? 2 * LARGE_INDEXES * is.live : 0
  return rows > times * FEW_ROWS + built
    ? [`sms_messages was read whole ${times} times, ${rows} rows`]
    : []
}

/** Row versions that vacuum does not keep up with. */
function dead(before: Figures, after: Figures, seconds: number): string[] {
  return HOT_TABLES.flatMap((table) => {
    const [was, is] = [before.get(table)!, after.get(table)!]
    const most = ((is.left - was.left) / seconds) * VACUUM_SECONDS + is.live * DEAD_SHARE
    return is.dead > most ? [`${table} has ${is.dead} dead rows`] : []
  })
}

function hotShare(before: Figures, after: Figures, table: string): string {
  const [was, is] = [before.get(table)!, after.get(table)!]
  return `${Math.round((100 * (is.hot - was.hot)) / Math.max(1, is.updates - was.updates))} %`
}
