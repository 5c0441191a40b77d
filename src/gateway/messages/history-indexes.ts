import { sql } from 'kysely'
import { LOCKS } from '../../platform/db/advisory-locks.ts'
import { evaluateSql } from '../../platform/db/call-function.ts'
import { isSqlError } from '../../platform/db/database-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { readSqlFiles, type SqlFile } from '../../platform/db/schema/sql-files.ts'
import {
  detectTrigrams,
  installTrigrams,
  loadIndexStates,
  type Trigrams,
} from '../../platform/db/schema/trigrams.ts'
import type { Logger } from '../../platform/log.ts'
import { repeatWork } from '../../platform/tools/repeat-work.ts'

const RETRY_MS = 600_000

/** From this number of messages on, the indexes of a large history pay off: docs/scaling.md. */
export const LARGE_HISTORY = 250_000

const UNDEFINED_COLUMN = '42703'

const readIndexFiles = () => readSqlFiles('indexes/large-history')
const needsTrigrams = ({ sql }: SqlFile) => sql.includes('gin_trgm_ops')

/** The number of messages by Postgres' estimate, which autovacuum updates; null if the table is missing. */
async function estimateMessages(db: Db): Promise<number | null> {
  const found = sql<
    number | null
  >`(select reltuples from pg_class where oid = to_regclass('sms_messages'))`
  return evaluateSql(db, found)
}

/** The indexes of a large history that are not `ready`; none if there are fewer than `large` messages. */
async function openIndexes(db: Db, large: number) {
  const names = readIndexFiles().map(({ name }) => name)
  const states = await loadIndexStates(db, names)
  const open = readIndexFiles()
    .map((file) => ({ file, state: states.get(file.name) ?? 'missing' }))
    .filter(({ state }) => state !== 'ready')
  if (large === 0 || open.length === 0) return open
  return ((await estimateMessages(db)) ?? -1) >= large ? open : []
}

/** The statement that creates an index. Undefined if the index needs trigrams and they are unavailable. */
function createStatement(file: SqlFile, trigrams: Trigrams): string | undefined {
  if (needsTrigrams(file) && 'reason' in trigrams) return undefined
  return 'operatorClass' in trigrams
    ? file.sql.replace('gin_trgm_ops', () => trigrams.operatorClass)
    : file.sql
}

/** Builds missing indexes concurrently, on one node; none for fewer than `large` messages. */
export async function buildIndexes(db: Db, log: Logger, large = LARGE_HISTORY): Promise<void> {
  if ((await openIndexes(db, large)).length === 0 || (await estimateMessages(db)) === null) return
  await db.transaction(async (tx) => {
    // not prepared: a prepared query keeps its snapshot until the next query, and builds wait for its end
    const { rows } = await tx.query(`select pg_try_advisory_xact_lock(${LOCKS.indexBuild})`)
    if (rows[0]![0] === true) await buildOpenIndexes(db, log, large)
  })
}

async function buildOpenIndexes(db: Db, log: Logger, large: number) {
  const trigrams = await db.transaction(installTrigrams)
  for (const { file, state } of await openIndexes(db, large)) {
    const create = createStatement(file, trigrams)
    // Postgres finishes a build that a server began, even if that server has stopped
    if (state === 'building' || !create) continue
    if (state === 'partial') await db.unhurried(`drop index concurrently if exists ${file.name}`)
    log.info({ index: file.name }, 'building an index of the messages')
    await db.unhurried(create).catch((error: unknown) => {
      if (!isSqlError(error, UNDEFINED_COLUMN)) throw error
    })
  }
}

/** The reason for missing trigram indexes if pg_trgm is not installed. `buildIndexes` tries to install it. */
const NOT_INSTALLED: Trigrams = {
  reason:
    'The extension pg_trgm is not installed. Install it in the database: create extension pg_trgm (docs/operations.md).',
}

/** Warnings about missing indexes; none for fewer than `large` messages. */
export async function listIndexWarnings(db: Db, large = LARGE_HISTORY): Promise<string[]> {
  const open = await openIndexes(db, large)
  if (open.length === 0) return []
  const trigrams = (await detectTrigrams(db)) ?? NOT_INSTALLED
  return open.map(({ file, state }) => {
    if ('reason' in trigrams && needsTrigrams(file))
      return `Searches in messages are slow: the index ${file.name} is not possible. ${trigrams.reason}`
    const how = state === 'building' ? 'being built' : 'not built yet'
    return `The index ${file.name} is ${how}. Some searches and lists of messages are slow until then.`
  })
}

/**
 * Builds missing indexes in the background, after a failure again. Returns a function that stops this: then
 * Postgres still finishes the index that it builds.
 */
export function startIndexes(db: Db, log: Logger): () => Promise<void> {
  let [isTold, isStopped] = [false, false]
  const build = async () => {
    await buildIndexes(db, log)
    if (isTold) return
    isTold = true
    for (const warning of await listIndexWarnings(db)) log.warn(warning)
  }
  const unlessStopped = (error: unknown) => {
    if (!isStopped) throw error
  }
  const stop = repeatWork(() => build().catch(unlessStopped), RETRY_MS, log)
  return async () => {
    isStopped = true
    void stop()
  }
}
