import { t } from '../../language/words.ts'
import { makeSheet, type Sheet } from './sheet.ts'

/** First bytes of an old Excel file, .xls (MS-CFB 2.2). */
const OLD = [0xd0, 0xcf, 0x11, 0xe0]
/** First bytes of a zip archive, such as .xlsx (PKWARE APPNOTE 4.3.7). */
const ZIP = [0x50, 0x4b, 0x03, 0x04]
/** Maximum bytes of an .xlsx file's XML when unpacked. */
const MAX_UNPACKED = 200_000_000

class UnreadableFile extends Error {
  override name = 'UnreadableFile'
}

const OLD_FORMAT = t(
  'This is an old Excel file (.xls). Open it in Excel or LibreOffice, save it as .xlsx or as CSV UTF-8, and choose that.',
)
const DAMAGED = t(
  'This Excel file cannot be read. Save it again as .xlsx or as CSV UTF-8, and choose that.',
)
const TOO_LARGE = t('This Excel file is too large. Cut it into several.')

const startsWithBytes = (bytes: ArrayBuffer, magic: readonly number[]) => {
  const head = new Uint8Array(bytes, 0, Math.min(magic.length, bytes.byteLength))
  return magic.every((byte, at) => head[at] === byte)
}

export const isExcel = (bytes: ArrayBuffer): boolean =>
  startsWithBytes(bytes, OLD) || startsWithBytes(bytes, ZIP)

/** Reads the first sheet of an .xlsx file. Throws UnreadableFile for an .xls, damaged or too large file. */
export async function readExcel(bytes: ArrayBuffer): Promise<Sheet> {
  if (startsWithBytes(bytes, OLD)) throw new UnreadableFile(OLD_FORMAT)
  const [{ readSheet }, { unzipSync, zipSync }] = await Promise.all([
    import('read-excel-file/universal'),
    import('fflate'),
  ])
  try {
    let unpacked = 0
    const files = unzipSync(new Uint8Array(bytes), {
      filter: ({ name, originalSize }) => {
        if (!/\.(?:xml|rels)$/.test(name)) return false
        unpacked += originalSize
        if (unpacked > MAX_UNPACKED) throw new UnreadableFile(TOO_LARGE)
        return true
      },
    })
    // zips again without compression: for compressed files the library starts a worker, which our CSP forbids
    const stored = zipSync(files, { level: 0 })
    const rows = await readSheet(stored.buffer as ArrayBuffer, { parseNumber: (digits) => digits })
    return makeSheet(rows.map((row, at) => ({ line: at + 1, cells: row.map(readCell) })))
  } catch (error) {
    throw error instanceof UnreadableFile ? error : new UnreadableFile(DAMAGED)
  }
}

/** Converts a cell to text. Numbers keep all digits as written; a date becomes `2026-11-20`. */
function readCell(cell: unknown): string {
  if (cell === null || cell === undefined) return ''
  return cell instanceof Date ? cell.toISOString().slice(0, 10) : String(cell)
}
