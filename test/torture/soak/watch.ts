import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenDb } from '../../support/database/open.ts'
import { residentBytes } from '../hostile/meter.ts'

const MEMORY_EVERY = 20
const SAMPLE_MS = 250

const WAITS = `
select wait_event_type || ':' || wait_event from pg_stat_activity
where datname = current_database() and state = 'active' and wait_event is not null and pid <> pg_backend_pid()`
const TABLES = `
select relname, seq_scan, seq_tup_read, n_tup_upd, n_tup_hot_upd, n_tup_upd + n_tup_del, n_dead_tup, n_live_tup
from pg_stat_user_tables`

export interface TableFigures {
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
export async function tableFigures(db: OpenDb): Promise<ReadonlyMap<string, TableFigures>> {
  const { rows } = await db.query(TABLES)
  return new Map(
    rows.map(([name, ...counts]) => {
      const [seqScans, seqRows, updates, hot, left, dead, live] = counts.map(Number) as Counts
      return [String(name), { seqScans, seqRows, updates, hot, left, dead, live }]
    }),
  )
}

/** Samples waits of the database and memory of servers until `signal` aborts. */
export async function watch(db: OpenDb, pids: readonly number[], signal: AbortSignal) {
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
