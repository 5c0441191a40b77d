import { createHash } from 'node:crypto'
import { parseJson } from '../tools/json.ts'
import { LARGE_BATCH, type TransferRow } from '../transfer/rows.ts'
import { notABackup, type TableEntry } from './manifest.ts'

/** The longest line of a backup. No request can store a longer row, whatever its escapes. */
export const MAX_LINE_BYTES = 100_000_000
const NEWLINE = 10

/**
 * The lines of a table's entry in batches. Throws a UserError for an invalid line, and at the end
 * if the entry differs from the manifest. Memory: one batch or one longer line.
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
    if (rest.length > MAX_LINE_BYTES) throw notABackup(`the table ${entry.name} has a row that is too long`)
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
    throw notABackup(`the checksum of the table ${entry.name} is wrong`)
  if (batch.length > 0) yield batch
}

/** The row of a line. Throws a UserError unless it has this number of columns. */
export function rowOf(line: string, { name, columns }: TableEntry): TransferRow {
  const row = parseJson(line)
  const isRow =
    Array.isArray(row) &&
    row.length === columns.length &&
    row.every((value) => value === null || typeof value === 'string')
  if (!isRow) throw notABackup(`the table ${name} has a line that is no row`)
  return row as TransferRow
}
