import { stat } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { UserError } from '../errors.ts'
import {
  type BackupSummary,
  entryName,
  MANIFEST,
  notABackup,
  parseManifest,
  summaryOf,
  type TableEntry,
} from './manifest.ts'
import { readLines } from './rows.ts'

/** Maxima of what is read into memory. */
const [MAX_ENTRIES, MAX_MANIFEST_BYTES] = [20_000, 32 << 20]

/** A backup file open for reading, with the entries of its manifest. Readers check the content. */
export type Archive = Awaited<ReturnType<typeof openArchive>>

/**
 * Opens a backup. Throws a UserError for an unreadable file, or one that is not a backup. Close it when done.
 */
export async function openArchive(path: string) {
  const { size } = await stat(path).catch((error: Error) => {
    throw new UserError(`The backup cannot be read: ${error.message}.`, { cause: error })
  })
  const zip = await readable(() => openPromise(path, { autoClose: false, lazyEntries: true }))
  try {
    const entries = await readable(() => entriesOf(zip))
    const manifest = parseManifest(await manifestOf(zip, entries))
    const missing = manifest.tables.map(({ name }) => entryName(name)).find((name) => !entries.has(name))
    if (missing) throw notABackup(`${missing} is missing`)
    const contentOf = ({ name }: TableEntry) => contentOfEntry(zip, entries.get(entryName(name))!)
    return { manifest, bytes: size, contentOf, close: () => zip.close() }
  } catch (error) {
    zip.close()
    throw error
  }
}

/** Reads a backup through and compares all checksums. Throws a UserError for a wrong, cut or foreign file. */
export async function checkBackup(path: string): Promise<BackupSummary> {
  const archive = await openArchive(path)
  try {
    for (const entry of archive.manifest.tables) {
      for await (const _ of readLines(entry, archive.contentOf(entry))) {
        // its checksum is compared at the end
      }
    }
    return summaryOf(archive.manifest, archive.bytes)
  } finally {
    archive.close()
  }
}

/** The bytes of an entry. Throws a UserError where they cannot be read. */
async function* contentOfEntry(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  // ends with an error when an entry has more or less than its declared size
  const stream = await readable(() => zip.openReadStreamPromise(entry))
  try {
    for await (const chunk of stream) yield chunk
  } catch (error) {
    throw unreadable(error)
  } finally {
    stream.destroy()
  }
}

const unreadable = (error: unknown): unknown =>
  error instanceof Error && !(error instanceof UserError) ? notABackup(error.message, error) : error

/** Reports any error of reading a ZIP file as a damaged file. */
async function readable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw unreadable(error)
  }
}

async function entriesOf(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > MAX_ENTRIES) throw notABackup('it has too many entries')
  const entries = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) entries.set(entry.fileName, entry)
  return entries
}

/** yauzl does not compare checksums; those of tables are in the manifest. */
async function manifestOf(zip: ZipFile, entries: ReadonlyMap<string, Entry>): Promise<string> {
  const entry = entries.get(MANIFEST)
  if (!entry) throw notABackup(`it has no ${MANIFEST}`)
  if (entry.uncompressedSize > MAX_MANIFEST_BYTES) throw notABackup(`its ${MANIFEST} is too long`)
  const content = await readable(async () => buffer(await zip.openReadStreamPromise(entry)))
  if (crc32(content) !== entry.crc32) throw notABackup(`the checksum of its ${MANIFEST} is wrong`)
  return content.toString()
}
