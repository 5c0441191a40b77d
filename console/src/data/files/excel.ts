import { removeFormulaGuard } from '#portable/write-csv.ts'
import { locale } from '../../language/language.ts'
import { t } from '../../language/words.ts'
import { makeSheet, type Sheet } from './sheet.ts'

/** First bytes of an old Excel file, .xls (MS-CFB 2.2). */
const OLD = [0xd0, 0xcf, 0x11, 0xe0]
/** First bytes of a zip archive, such as .xlsx (PKWARE APPNOTE 4.3.7). */
const ZIP = [0x50, 0x4b, 0x03, 0x04]
/** Maximum bytes of an .xlsx file's XML when unpacked. */
const MAX_UNPACKED = 200_000_000
/** Maximum cells, with the empty ones before the last of a row. */
const MAX_CELLS = 10_000_000

class UnreadableFile extends Error {
  override name = 'UnreadableFile'
}

const OLD_FORMAT = t(
  'This is an old Excel file (.xls). Open it in Excel or LibreOffice, save it as .xlsx or as CSV UTF-8, and choose that.',
)
const DAMAGED = t(
  'This Excel file cannot be read. Save it again as .xlsx or as CSV UTF-8, and choose that.',
)
const PROTECTED = t(
  'This Excel file is protected by a password. Save it without one, and choose that.',
)
const BINARY = t(
  'This is a binary Excel file (.xlsb). Save it as .xlsx or as CSV UTF-8, and choose that.',
)
const OTHER_PROGRAM = t(
  'This is a file of another spreadsheet program. Save it as .xlsx or as CSV UTF-8, and choose that.',
)
/** Names of parts by which other files are known that are zip archives, too. */
const OTHERS = [
  ['xl/workbook.bin', BINARY],
  ['content.xml', OTHER_PROGRAM],
  ['Index/Tables/', OTHER_PROGRAM],
] as const
const TOO_LARGE = t('This Excel file is too large. Cut it into several.')

const startsWithBytes = (bytes: ArrayBuffer, magic: readonly number[]) => {
  const head = new Uint8Array(bytes, 0, Math.min(magic.length, bytes.byteLength))
  return magic.every((byte, at) => head[at] === byte)
}

export const isExcel = (bytes: ArrayBuffer): boolean =>
  startsWithBytes(bytes, OLD) || startsWithBytes(bytes, ZIP)

/**
 * Reads the first visible sheet of an .xlsx file, as its cells show it in the locale of this window. Throws
 * UnreadableFile for other kinds of files, and for one that is damaged or too large.
 */
export async function readExcel(bytes: ArrayBuffer): Promise<Sheet> {
  const file = new Uint8Array(bytes)
  if (startsWithBytes(bytes, OLD))
    throw new UnreadableFile(hasName(file, 'EncryptedPackage', 2) ? PROTECTED : OLD_FORMAT)
  const { readXlsx } = await import('./read-xlsx.ts')
  const onSize = (unpacked: number, cells: number) => {
    if (unpacked > MAX_UNPACKED || cells > MAX_CELLS) throw new UnreadableFile(TOO_LARGE)
  }
  try {
    const rows = readXlsx(file, { locale, onSize })
    // an exported CSV file that Excel has saved as .xlsx keeps its apostrophes
    const plain = (cell: string) => removeFormulaGuard(cell, ',')
    return makeSheet(rows.map(({ line, cells }) => ({ line, cells: cells.map(plain) })))
  } catch (error) {
    if (error instanceof UnreadableFile) throw error
    throw new UnreadableFile(OTHERS.find(([name]) => hasName(file, name))?.[1] ?? DAMAGED)
  }
}

/** Whether a file contains a name, in characters of `width` bytes. */
function hasName(file: Uint8Array, name: string, width = 1): boolean {
  const wanted = [...name].flatMap((char) => [char.charCodeAt(0), ...Array(width - 1).fill(0)])
  for (let at = file.indexOf(wanted[0]!); at !== -1; at = file.indexOf(wanted[0]!, at + 1))
    if (wanted.every((byte, index) => file[at + index] === byte)) return true
  return false
}
