import { strToU8, zipSync } from 'fflate'

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006/relationships'

/** A zip archive of these texts by their paths. */
export const zipParts = (parts: Readonly<Record<string, string>>): ArrayBuffer =>
  zipSync(
    Object.fromEntries(Object.entries(parts).map(([name, xml]) => [name, strToU8(xml)])),
  ).slice().buffer

/** What a part of a workbook names, as [id, type, target]. */
export const relationships = (...rows: readonly (readonly [string, string, string])[]): string =>
  `<Relationships xmlns="${PACKAGE}">${rows
    .map(([id, type, to]) => `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${to}"/>`)
    .join('')}</Relationships>`

/**
 * The parts of an .xlsx file whose one sheet has these rows of XML. `styles`: for each style a format code,
 * or the id of a built-in one, as `id 14`.
 */
export const xlsxParts = (
  rows: string,
  { styles = ['General'], texts = '', is1904 = false } = {},
): Readonly<Record<string, string>> => ({
  'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><workbookPr${is1904 ? ' date1904="1"' : ''}/><sheets><sheet name="People" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': relationships(
    ['rId1', 'worksheet', 'worksheets/sheet1.xml'],
    ['rId2', 'styles', 'styles.xml'],
    ['rId3', 'sharedStrings', 'sharedStrings.xml'],
  ),
  'xl/worksheets/sheet1.xml': `<worksheet xmlns="${MAIN}"><sheetData>${rows}</sheetData></worksheet>`,
  'xl/sharedStrings.xml': `<sst xmlns="${MAIN}">${texts}</sst>`,
  'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><numFmts>${styles
    .map((code, at) => `<numFmt numFmtId="${164 + at}" formatCode="${escapeXml(code)}"/>`)
    .join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${styles
    .map((code, at) => `<xf numFmtId="${/^id (\d+)$/.exec(code)?.[1] ?? 164 + at}" xfId="0"/>`)
    .join('')}</cellXfs><cellStyles><cellStyle xfId="0"/></cellStyles></styleSheet>`,
})

const escapeXml = (text: string) => text.replace(/["&<>]/g, (char) => `&#${char.charCodeAt(0)};`)

/** An .xlsx file with one sheet of these cells; a text is inline, a number as it is. */
export function xlsx(rows: readonly (readonly (string | number)[])[]): ArrayBuffer {
  const cell = (value: string | number, ref: string) =>
    typeof value === 'number'
      ? `<c r="${ref}"><v>${value}</v></c>`
      : `<c r="${ref}" t="inlineStr"><is><t>${value}</t></is></c>`
  const cells = (row: readonly (string | number)[], at: number) =>
    row.map((value, column) => cell(value, `${String.fromCharCode(65 + column)}${at + 1}`)).join('')
  return zipParts(
    xlsxParts(rows.map((row, at) => `<row r="${at + 1}">${cells(row, at)}</row>`).join('')),
  )
}
