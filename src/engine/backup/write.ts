import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import packageJson from '../../../package.json' with { type: 'json' }
import { UserError } from '../../platform/api-errors.ts'
import { isSqlError, LOCK_NOT_AVAILABLE } from '../../platform/db/database-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { loadKnownMigrations } from '../../platform/db/schema/migrate.ts'
import type { ReportProgress } from '../../platform/tools/progress.ts'
import { readPlan } from '../transfer/build-tables.ts'
import { loadSequences } from '../transfer/copy-sequences.ts'
import {
  type BatchSize,
  digestTable,
  joinSqlNames,
  prepareTransfer,
  readJsonLines,
} from '../transfer/rows.ts'
import { loadTables, NOT_TRANSFERRED, type TransferTable } from '../transfer/tables.ts'
import {
  type BackupSummary,
  FORMAT,
  MANIFEST,
  MAX_LINE_BYTES,
  type Manifest,
  makeEntryName,
  summarizeBackup,
  type TableEntry,
} from './read-archive.ts'
import { writeNewFile } from './write-new-file.ts'
import { openZip } from './zip-and-seal.ts'

interface DumpOptions {
  readonly progress?: ReportProgress
  readonly signal?: AbortSignal
  /** Public keys of age: only the holders of their secret keys can read the backup. */
  readonly recipients?: readonly string[]
}

/** The size of a batch: small, so that the server answers requests between batches. */
const BATCH: BatchSize = { rows: 500, bytes: 1_000_000 }
const LOCK_TRIES = 5
const LOCK_PAUSE_MS = 1_000

/** Writes a snapshot in one read-only transaction, first to a temporary file: a whole backup or none. */
export async function writeBackup(
  db: Db,
  path: string,
  options: DumpOptions = {},
): Promise<BackupSummary> {
  const { signal } = options
  const manifest = await writeNewFile(path, (partial) =>
    retryWhileLocked(() => dumpTablesOnce(db, partial, options)).catch((error) => {
      throw signal?.aborted ? signal.reason : error
    }),
  )
  return summarizeBackup(manifest, (await stat(path)).size)
}

/** Tries `work` again after a pause if a table was being altered: the snapshot would not match the table. */
async function retryWhileLocked<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const isLocked = error instanceof Error && isSqlError(error.cause, LOCK_NOT_AVAILABLE)
      if (!isLocked || tries === LOCK_TRIES) throw error
      await sleep(LOCK_PAUSE_MS)
    }
  }
}

const dumpTablesOnce = (
  db: Db,
  partial: string,
  { progress = () => {}, signal, recipients }: DumpOptions,
): Promise<Manifest> =>
  db.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only')
    await prepareTransfer(tx)
    const tables = await lockTables(tx)
    const applied = await loadKnownMigrations(tx)
    const head = {
      format: FORMAT,
      version: packageJson.version,
      createdAt: new Date().toISOString(),
      migrations: applied.map(({ file }) => file),
      hashes: Object.fromEntries(
        applied.flatMap(({ file, sha256 }) => (sha256 ? [[file, sha256]] : [])),
      ),
      views: [...(await readPlan(tx)).views],
    }
    const zip = openZip(partial, signal, recipients)
    try {
      const entries: TableEntry[] = []
      for (const table of tables) entries.push(await dumpTable(tx, table, zip, progress, signal))
      const manifest: Manifest = { ...head, tables: entries }
      await zip.add(MANIFEST, [Buffer.from(JSON.stringify(manifest))])
      await zip.end()
      return manifest
    } finally {
      await zip.abandon()
    }
  })

async function lockTables(tx: Db): Promise<TransferTable[]> {
  const all = await loadTables(tx)
  if (!all.some(({ name }) => name === '_migrations'))
    throw new UserError('There is no pocketsms in the database.')
  const tables = all.filter(({ name }) => !NOT_TRANSFERRED.has(name))
  await sql`lock table ${joinSqlNames(tables)} in access share mode nowait`.execute(tx)
  return tables
}

async function dumpTable(
  tx: Db,
  table: TransferTable,
  zip: ReturnType<typeof openZip>,
  progress: ReportProgress,
  signal: AbortSignal | undefined,
): Promise<TableEntry> {
  const { name, columns } = table
  const digest = await digestTable(tx, table)
  const hash = createHash('sha256')
  let rows = 0
  async function* lines() {
    for await (const batch of readJsonLines(tx, table, digest, BATCH)) {
      signal?.throwIfAborted()
      const bytes = encodeTableLines(table, batch)
      hash.update(bytes)
      rows += batch.length
      progress(name, rows, digest.rows)
      yield bytes
    }
  }
  await zip.add(makeEntryName(name), lines())
  return {
    name,
    columns: columns.map(({ name, type }) => ({ name, type })),
    rows,
    sha256: hash.digest('hex'),
    digest: digest.sum,
    numbering: await loadSequences(tx, table),
  }
}

function encodeTableLines({ name }: TransferTable, lines: readonly string[]): Buffer {
  const bytes = lines.map((line) => Buffer.from(`${line}\n`))
  if (bytes.some(({ length }) => length > MAX_LINE_BYTES)) {
    throw new UserError(
      `The table ${name} has a row of more than ${MAX_LINE_BYTES} bytes: too long for a backup.`,
    )
  }
  return Buffer.concat(bytes)
}
