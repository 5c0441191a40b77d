import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { z } from 'zod'
import { UserError } from '../../platform/api-errors.ts'
import {
  findUnknownMigrations,
  requireKnownSchema,
  START_TABLES,
} from '../../platform/db/schema/known-schema.ts'
import { parseJson } from '../../platform/tools/json.ts'
import { LARGE_BATCH, type TransferRow } from '../transfer/rows.ts'
import { NOT_TRANSFERRED } from '../transfer/tables.ts'

export const MANIFEST = 'manifest.json'
/** The file format. A change that older versions cannot read must increase the number. */
export const FORMAT = { name: 'pocketsms-backup', version: 1 } as const

const TABLE = z.object({
  name: z.string().min(1),
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  rows: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Checksum of the rows, computed by the database: see engine/transfer/tables.ts. */
  digest: z.string(),
  numbering: z.array(
    z.object({ column: z.string(), last: z.string().regex(/^\d+$/), called: z.boolean() }),
  ),
})

const SCHEMA = z.object({
  format: z.object({ name: z.literal(FORMAT.name), version: z.int().min(1) }),
  version: z.string(),
  createdAt: z.iso.datetime(),
  migrations: z.array(z.string()),
  /** SHA-256 of each migration's file. A backup of the commit before 0002_hashes.sql has none. */
  hashes: z.record(z.string(), z.string()).default({}),
  /** The views, in an order in which they can be created. */
  views: z.array(z.object({ name: z.string(), query: z.string() })),
  tables: z.array(TABLE).min(1),
})

export type Manifest = Readonly<z.output<typeof SCHEMA>>
export type TableEntry = Readonly<z.output<typeof TABLE>>

export type BackupSummary = ReturnType<typeof summarizeBackup>

export const makeEntryName = (table: string): string => `tables/${encodeURIComponent(table)}.jsonl`

export const makeBackupError = (why: string, cause?: unknown) =>
  new UserError(`The file is not a backup of pocketsms, or it is damaged: ${why}.`, { cause })

/** Reads a manifest. Throws a UserError if it is invalid or written by a newer version. */
function parseManifest(text: string): Manifest {
  const json = parseJson(text)
  const format = SCHEMA.pick({ format: true }).safeParse(json).data?.format
  if (format && format.version > FORMAT.version)
    throw new UserError(
      'The backup was written by a newer version of pocketsms. Install that version.',
    )
  const { data, error } = SCHEMA.safeParse(json)
  if (!data) {
    const [issue] = error.issues
    throw makeBackupError(`${issue!.path.join('.') || 'its manifest'}: ${issue!.message}`)
  }
  const twice = data.tables.find(
    ({ name }, i) => data.tables.findIndex((other) => other.name === name) < i,
  )
  if (twice) throw makeBackupError(`the table ${twice.name} is in it twice`)
  return data
}

/** Throws a UserError for a schema that this version cannot restore. */
function requireKnownManifest({ migrations, hashes, tables, version }: Manifest): void {
  const applied = migrations.map((file) => ({ file, sha256: hashes[file] ?? null }))
  if (findUnknownMigrations(applied).length > 0)
    throw new UserError(
      `The backup was written by a newer version of pocketsms (${version}). Install that version, then restore it.`,
    )
  const columnsOf = new Map(
    tables.map(({ name, columns }) => [
      name,
      columns.map(({ name, type }) => `${name} ${type}`).join(', '),
    ]),
  )
  const needed = [...START_TABLES].filter(([name]) => !NOT_TRANSFERRED.has(name))
  requireKnownSchema('The backup', applied, columnsOf, new Map(needed))
}

export const summarizeBackup = ({ createdAt, version, tables }: Manifest, bytes: number) => ({
  createdAt,
  version,
  bytes,
  tables: tables.map(({ name, rows }) => ({ name, rows })),
})

const [MAX_ENTRIES, MAX_MANIFEST_BYTES] = [20_000, 32 << 20]

export type Archive = Awaited<ReturnType<typeof openArchive>>

/**
 * Opens a backup, which the caller must close. Throws a UserError if it is unreadable, no backup, or of a
 * schema that this version does not know.
 */
export async function openArchive(path: string) {
  const { size } = await stat(path).catch((error: Error) => {
    throw new UserError(`The backup cannot be read: ${error.message}.`, { cause: error })
  })
  const zip = await withBackupErrors(() =>
    openPromise(path, { autoClose: false, lazyEntries: true }),
  )
  try {
    const entries = await withBackupErrors(() => readZipEntries(zip))
    const manifest = parseManifest(await readManifestText(zip, entries))
    requireKnownManifest(manifest)
    const missing = manifest.tables
      .map(({ name }) => makeEntryName(name))
      .find((name) => !entries.has(name))
    if (missing) throw makeBackupError(`${missing} is missing`)
    const contentOf = ({ name }: TableEntry) =>
      readEntryContent(zip, entries.get(makeEntryName(name))!)
    return { manifest, bytes: size, contentOf, close: () => zip.close() }
  } catch (error) {
    zip.close()
    throw error
  }
}

/** Reads a whole backup and compares all checksums. Throws a UserError for a damaged or foreign file. */
export async function checkBackup(path: string): Promise<BackupSummary> {
  const archive = await openArchive(path)
  try {
    for (const entry of archive.manifest.tables) {
      for await (const _ of readLines(entry, archive.contentOf(entry))) {
      }
    }
    return summarizeBackup(archive.manifest, archive.bytes)
  } finally {
    archive.close()
  }
}

async function* readEntryContent(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  // the stream fails if an entry has more or fewer bytes than it declares
  const stream = await withBackupErrors(() => zip.openReadStreamPromise(entry))
  try {
    for await (const chunk of stream) yield chunk
  } catch (error) {
    throw toBackupError(error)
  } finally {
    stream.destroy()
  }
}

const toBackupError = (error: unknown): unknown =>
  error instanceof Error && !(error instanceof UserError)
    ? makeBackupError(error.message, error)
    : error

async function withBackupErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toBackupError(error)
  }
}

async function readZipEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > MAX_ENTRIES) throw makeBackupError('it has too many entries')
  const entries = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry)
  return entries
}

/** Reads the manifest, which has the checksums of tables. Checks its own CRC, since yauzl does not. */
async function readManifestText(
  zip: ZipFile,
  entries: ReadonlyMap<string, Entry>,
): Promise<string> {
  const entry = entries.get(MANIFEST)
  if (!entry) throw makeBackupError(`it has no ${MANIFEST}`)
  if (entry.uncompressedSize > MAX_MANIFEST_BYTES)
    throw makeBackupError(`its ${MANIFEST} is too long`)
  const content = await withBackupErrors(async () => buffer(await zip.openReadStreamPromise(entry)))
  if (crc32(content) !== entry.crc32)
    throw makeBackupError(`the checksum of its ${MANIFEST} is wrong`)
  return content.toString()
}

/** Maximum bytes of a row in a backup. No request can store a longer row, even with all of it escaped. */
export const MAX_LINE_BYTES = 100_000_000
const NEWLINE = 10

/**
 * The lines of a table's entry in batches. Throws a UserError for a line above MAX_LINE_BYTES, and at the end
 * if rows or checksum differ from the manifest.
 */
export async function* readLines(entry: TableEntry, content: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256')
  const decoder = new TextDecoder()
  let rows = 0
  let rest = ''
  let batch: string[] = []
  let batchLength = 0
  for await (const chunk of content) {
    hash.update(chunk)
    rest += decoder.decode(chunk, { stream: true })
    if (rest.length > MAX_LINE_BYTES)
      throw makeBackupError(`the table ${entry.name} has a row that is too long`)
    if (!chunk.includes(NEWLINE)) continue
    const lines = rest.split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      rows++
      batch.push(line)
      batchLength += line.length
      if (batch.length < LARGE_BATCH.rows && batchLength < LARGE_BATCH.bytes) continue
      yield batch
      batch = []
      batchLength = 0
    }
  }
  if (rest !== '' || rows !== entry.rows || hash.digest('hex') !== entry.sha256)
    throw makeBackupError(`the checksum of the table ${entry.name} is wrong`)
  if (batch.length > 0) yield batch
}

/** Parses a line. Throws a UserError unless it is a row with the table's number of columns. */
export function parseBackupRow(line: string, { name, columns }: TableEntry): TransferRow {
  const row = parseJson(line)
  const isRow =
    Array.isArray(row) &&
    row.length === columns.length &&
    row.every((value) => value === null || typeof value === 'string')
  if (!isRow) throw makeBackupError(`the table ${name} has a line that is no row`)
  return row as TransferRow
}
