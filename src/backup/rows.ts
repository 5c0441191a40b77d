import { createHash } from 'node:crypto'
import { LARGE_BATCH, type TransferRow } from '../transfer/rows.ts'
import { notABackup, type TableEntry } from './manifest.ts'

/** The longest line of a backup. No request can store a longer row, whatever its escapes. */
export const MAX_LINE_BYTES = 100_000_000
const NEWLINE = 10

/**
 * The lines of a table's entry in batches. Throws a UserError for a line that no backup has, and at the end
 * if the entry differs from the manifest. Memory: one batch or one longer line.
 */
export async function* readLines(
  entry: TableEntry,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer[]> {
  const hash = createHash('sha256')
  let rows = 0
  let batch: Buffer[] = []
  let batchBytes = 0
  let start: Buffer[] = []
  let startBytes = 0
  for await (const chunk of content) {
    hash.update(chunk)
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const line = Buffer.concat([...start, chunk.subarray(from, end)])
      start = []
      startBytes = 0
      from = end + 1
      rows++
      batch.push(line)
      batchBytes += line.length
      if (batch.length >= LARGE_BATCH.rows || batchBytes >= LARGE_BATCH.bytes) {
        yield batch
        batch = []
        batchBytes = 0
      }
    }
    if (from < chunk.length) {
      start.push(Buffer.from(chunk.subarray(from)))
      startBytes += chunk.length - from
      if (startBytes > MAX_LINE_BYTES) throw notABackup(`the table ${entry.name} has a row that is too long`)
    }
  }
  if (startBytes > 0 || rows !== entry.rows || hash.digest('hex') !== entry.sha256) {
    throw notABackup(`the checksum of the table ${entry.name} is wrong`)
  }
  if (batch.length > 0) yield batch
}

/** The row of a line. Throws a UserError unless it has this number of columns. */
export function rowOf(line: Buffer, { name, columns }: TableEntry): TransferRow {
  let row: unknown
  try {
    row = JSON.parse(line.toString())
  } catch {
    // as any other line that is none
  }
  const isRow =
    Array.isArray(row) &&
    row.length === columns.length &&
    row.every((value) => value === null || typeof value === 'string')
  if (!isRow) throw notABackup(`the table ${name} has a line that is no row`)
  return row as TransferRow
}
