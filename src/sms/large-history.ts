import { LOCKS } from '../db/advisory-locks.ts'
import { isSqlError } from '../db/errors.ts'
import type { Db } from '../db/open.ts'
import { type SqlFile, sqlFiles } from '../db/schema/sql-files.ts'
import { indexStates, installTrigrams, type Trigrams, trigramsOf } from '../db/schema/trigrams.ts'
import type { Logger } from '../log.ts'
import { repeat } from '../tools/repeat.ts'

const RETRY_MS = 600_000

/** Messages from which the indexes of a large history pay off: docs/scaling.md. */
const LARGE_HISTORY = 250_000

const HAS_TABLE = `select to_regclass('sms_messages') is not null`
/** Whether there are $1 messages or more, by Postgres' estimate, which autovacuum updates. */
const IS_LARGE = `select reltuples >= $1 from pg_class where oid = to_regclass('sms_messages')`
const MAY_BUILD = `select pg_try_advisory_xact_lock(${LOCKS.indexBuild})`

const UNDEFINED_COLUMN = '42703'

const files = () => sqlFiles('indexes/large-history')
const needsTrigrams = ({ sql }: SqlFile) => sql.includes('gin_trgm_ops')

const isTrue = async (db: Db, text: string, params: unknown[] = []) =>
  (await db.query(text, params)).rows[0]?.[0] === true

/** The indexes that are not `ready`; none as long as there are fewer than `large` messages. */
async function openIndexes(db: Db, large: number) {
  const names = files().map(({ name }) => name)
  const states = await indexStates(db, names)
  const open = files()
    .map((file) => ({ file, state: states.get(file.name) ?? 'missing' }))
    .filter(({ state }) => state !== 'ready')
  if (large === 0 || open.length === 0) return open
  return (await isTrue(db, IS_LARGE, [large])) ? open : []
}

/** The statement of a file; undefined for an index that is not possible without trigrams. */
function createStatement(file: SqlFile, trigrams: Trigrams): string | undefined {
  if (needsTrigrams(file) && 'reason' in trigrams) return undefined
  return 'operatorClass' in trigrams ? file.sql.replace('gin_trgm_ops', trigrams.operatorClass) : file.sql
}

/** Builds missing indexes concurrently on one node. @param large messages of a large history; 0: always. */
export async function buildIndexes(db: Db, log: Logger, large = LARGE_HISTORY): Promise<void> {
  if ((await openIndexes(db, large)).length === 0 || !(await isTrue(db, HAS_TABLE))) return
  await db.transaction(async (tx) => {
    if (await isTrue(tx, MAY_BUILD)) await buildAll(db, log, large)
  })
}

async function buildAll(db: Db, log: Logger, large: number): Promise<void> {
  const trigrams = await db.transaction(installTrigrams)
  for (const { file, state } of await openIndexes(db, large)) {
    const sql = createStatement(file, trigrams)
    // skip a build that a stopped server began: Postgres continues it
    if (state === 'building' || !sql) continue
    if (state === 'partial') await db.unhurried(`drop index concurrently if exists ${file.name}`)
    log.info({ index: file.name }, 'building an index of the messages')
    await db.unhurried(sql).catch((error: unknown) => {
      if (!isSqlError(error, UNDEFINED_COLUMN)) throw error
    })
  }
}

/** Why trigram indexes are missing before the first start of a server, which installs the extension. */
const NOT_INSTALLED: Trigrams = {
  reason:
    'The extension pg_trgm is not installed. Install it in the database: create extension pg_trgm (docs/operations.md).',
}

/** Warnings about needed indexes that are not ready. @param large messages of a large history. */
export async function indexWarnings(db: Db, large = LARGE_HISTORY): Promise<string[]> {
  const open = await openIndexes(db, large)
  if (open.length === 0) return []
  const trigrams = (await trigramsOf(db)) ?? NOT_INSTALLED
  return open.map(({ file, state }) => {
    if ('reason' in trigrams && needsTrigrams(file))
      return `Searches in messages are slow: the index ${file.name} is not possible. ${trigrams.reason}`
    return state === 'building'
      ? `The index ${file.name} is being built. Some searches and lists of messages are slow until then.`
      : `The index ${file.name} is not built yet. Some searches and lists of messages are slow until then.`
  })
}

/** Builds missing indexes in the background and retries failures. A build continues after a stop. */
export function startIndexes(db: Db, log: Logger): () => Promise<void> {
  let [isTold, isStopped] = [false, false]
  const build = async () => {
    await buildIndexes(db, log)
    if (isTold) return
    isTold = true
    for (const warning of await indexWarnings(db)) log.warn(warning)
  }
  const unlessStopped = (error: unknown) => {
    if (!isStopped) throw error
  }
  const stop = repeat(() => build().catch(unlessStopped), RETRY_MS, log)
  return async () => {
    isStopped = true
    void stop()
  }
}
