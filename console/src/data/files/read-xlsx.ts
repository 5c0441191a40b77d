import type { SheetRow } from '#portable/read-csv.ts'
import {
  findBuiltInFormat,
  type NumberStyle,
  writeBoolean,
  writeIsoDate,
  writeNumber,
  writeText,
} from './cell-text.ts'
import { openPackage, type Package, readXml } from './xlsx-package.ts'

/** Columns that a sheet can have at most: A to XFD. */
const MAX_COLUMNS = 16_384
/** The escape of a character in a text, such as `_x000D_`. ECMA-376-1 22.9.2.19 */
const ESCAPE = /_x([\da-f]{4})_/gi

export interface ReadOptions {
  readonly locale: string
  /** Gets the bytes of XML and the number of cells so far, and may throw. */
  readonly onSize: (unpacked: number, cells: number) => void
}

/**
 * Reads the first visible sheet of a workbook (ECMA-376-1, transitional or strict) as its cells show it, with
 * the numbers of its rows. Throws an Error if there is none or a part is malformed.
 */
export function readXlsx(bytes: Uint8Array, { locale, onSize }: ReadOptions): SheetRow[] {
  const found = openPackage(bytes, (unpacked) => onSize(unpacked, 0))
  const path = findPath(found, '', 'officeDocument') ?? 'xl/workbook.xml'
  const { sheet, is1904 } = readWorkbook(found, path)
  const style = { locale, is1904 }
  const texts = readSharedTexts(findPart(found, path, 'sharedStrings'))
  const formats = readFormats(findPart(found, path, 'styles'), locale)
  return readRows(sheet, { texts, formats, style, onCells: (cells) => onSize(0, cells) })
}

const findPath = (found: Package, path: string, type: string): string | undefined =>
  found.relate(path).find((part) => part.type === type)?.path

const findPart = (found: Package, path: string, type: string): Uint8Array | undefined =>
  found.find(findPath(found, path, type) ?? '')

function readWorkbook(found: Package, path: string) {
  const workbook = found.find(path)
  if (!workbook) throw new Error('no workbook')
  const sheets: { id: string | undefined; isHidden: boolean }[] = []
  let is1904 = false
  readXml(workbook, {
    open(name, attributes) {
      if (name === 'workbookPr') is1904 = isTrue(attributes.date1904)
      if (name !== 'sheet') return
      const [, id] = Object.entries(attributes).find(([key]) => key.endsWith(':id')) ?? []
      sheets.push({ id, isHidden: /hidden/i.test(attributes.state ?? '') })
    },
  })
  const related = found.relate(path).filter(({ type }) => type === 'worksheet')
  const ofId = ({ id }: { id: string | undefined }) => related.filter((part) => part.id === id)
  const [first] = [...sheets.filter(({ isHidden }) => !isHidden), ...sheets].flatMap(ofId)
  const sheet = found.find(first?.path ?? related[0]?.path ?? 'xl/worksheets/sheet1.xml')
  if (!sheet) throw new Error('no sheet')
  return { sheet, is1904 }
}

const isTrue = (text: string | undefined) => text === '1' || text === 'true'

/** Collects the text of an item: plain, or in runs of several styles, without how it is pronounced. */
function makeTextCollector() {
  let text = ''
  let isInText = false
  let isPronounced = false
  return {
    begin() {
      text = ''
    },
    open(name: string) {
      if (name === 'rPh') isPronounced = true
      isInText = name === 't' && !isPronounced
    },
    close(name: string) {
      if (name === 'rPh') isPronounced = false
      if (name === 't') isInText = false
    },
    add(more: string) {
      if (isInText) text += more
    },
    end: () => unescapeText(text),
  }
}

const unescapeText = (text: string): string =>
  text
    .replace(ESCAPE, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\r\n?/g, '\n')

function readSharedTexts(part: Uint8Array | undefined): string[] {
  const texts: string[] = []
  const collector = makeTextCollector()
  if (part)
    readXml(part, {
      open: (name) => (name === 'si' ? collector.begin() : collector.open(name)),
      text: collector.add,
      close: (name) => {
        if (name === 'si') texts.push(collector.end())
        else collector.close(name)
      },
    })
  return texts
}

/** The format codes of the styles that cells name by their index. */
function readFormats(part: Uint8Array | undefined, locale: string): string[] {
  const own = new Map<number, string>()
  const ids: number[] = []
  let isOfCells = false
  if (part)
    readXml(part, {
      open(name, { numFmtId = '0', formatCode = '' }) {
        if (name === 'numFmt') own.set(Number(numFmtId), formatCode)
        if (name === 'cellXfs') isOfCells = true
        if (name === 'xf' && isOfCells) ids.push(Number(numFmtId))
      },
      close(name) {
        if (name === 'cellXfs') isOfCells = false
      },
    })
  return ids.map((id) => own.get(id) ?? findBuiltInFormat(id, locale))
}

interface Workbook {
  readonly texts: readonly string[]
  readonly formats: readonly string[]
  readonly style: NumberStyle
  readonly onCells: (cells: number) => void
}

/** Reads the rows that have cells. A row or a cell without its address follows the one before it. */
function readRows(sheet: Uint8Array, workbook: Workbook): SheetRow[] {
  const rows: { line: number; cells: string[] }[] = []
  const inline = makeTextCollector()
  let cell: Record<string, string> = {}
  let [line, column, count] = [0, 0, 0]
  let value: string | undefined
  let isInValue = false
  let cells: string[] = []
  readXml(sheet, {
    open(name, attributes) {
      if (name === 'row') {
        line = Number(attributes.r) || line + 1
        column = 0
        cells = []
        rows.push({ line, cells })
      } else if (name === 'c') {
        cell = attributes
        column = readColumn(attributes.r) ?? column + 1
        value = undefined
        inline.begin()
      } else inline.open(name)
      isInValue = name === 'v'
    },
    text(more) {
      if (isInValue) value = (value ?? '') + more
      else inline.add(more)
    },
    close(name) {
      inline.close(name)
      isInValue = false
      if (name !== 'c') return
      const text = writeCell(cell, value, inline.end(), workbook)
      if (text === '') return
      if (column > MAX_COLUMNS) throw new Error('no such column')
      count += Math.max(0, column - cells.length)
      workbook.onCells(count)
      while (cells.length < column - 1) cells.push('')
      cells[column - 1] = text
    },
  })
  return rows
}

/** The column of an address, such as 28 of `AB7`; undefined if there is none. */
function readColumn(address: string | undefined): number | undefined {
  const [letters] = /^\$?[A-Z]{1,3}/i.exec(address ?? '') ?? []
  return letters
    ?.replace('$', '')
    .toUpperCase()
    .split('')
    .reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)
}

/** The text of a cell by its type. ECMA-376-1 18.18.11 */
function writeCell(
  { t: type = 'n', s }: Readonly<Record<string, string>>,
  value: string | undefined,
  inline: string,
  { texts, formats, style }: Workbook,
): string {
  const code = formats[Number(s ?? 0)] ?? 'General'
  if (type === 'inlineStr' || value === undefined) return writeText(inline, code, style)
  if (type === 's') return writeText(texts[Number(value)] ?? '', code, style)
  if (type === 'str') return writeText(unescapeText(value), code, style)
  if (type === 'b') return writeBoolean(isTrue(value.trim()), style)
  if (type === 'd') return writeIsoDate(value.trim(), code, style)
  return type === 'e' ? value : writeNumber(value.trim(), code, style)
}
