import { relationships, zipParts } from '../../../console/xlsx.ts'

const NAMESPACES =
  'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:mx="http://schemas.microsoft.com/office/mac/excel/2008/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:x14ac="http://schemas.microsoft.com/office/spreadsheetml/2009/9/ac"'

const TEXTS = [
  ...['Name', 'Handy', 'Start', 'Tag', 'Termin', 'Dauer', 'Preis', 'Anteil', 'Nr', 'Betrag'],
  ...['Jörg Müller', '+49 151 12345678', 'Änne &lt;Test&gt; &amp; "Söhne"'],
]
const FORMATS = [
  ['164', 'h:mm'],
  ['165', 'dd.mm.yyyy'],
  ['166', 'dd.mm.yyyy hh:mm'],
  ['167', '[h]:mm'],
  ['168', '0000'],
  ['169', '#,##0.00\\ &quot;€&quot;'],
]
const text = (ref: string, at: number) => `<c r="${ref}" s="1" t="s"><v>${at}</v></c>`
const number = (ref: string, style: number, value: string) =>
  `<c r="${ref}" s="${style}"><v>${value}</v></c>`

/** The sheet of README.md as Google Sheets exports it: each cell has a style, numbers have 16 digits. */
export const makeGoogleSheet = (): ArrayBuffer =>
  zipParts({
    '_rels/.rels': relationships(['rId1', 'officeDocument', 'xl/workbook.xml']),
    'xl/_rels/workbook.xml.rels': relationships(
      ['rId1', 'theme', 'theme/theme1.xml'],
      ['rId2', 'styles', 'styles.xml'],
      ['rId3', 'sharedStrings', 'sharedStrings.xml'],
      ['rId4', 'worksheet', 'worksheets/sheet1.xml'],
    ),
    'xl/workbook.xml': `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><workbook ${NAMESPACES}><workbookPr/><sheets><sheet state="visible" name="Tabellenblatt1" sheetId="1" r:id="rId4"/></sheets><definedNames/><calcPr/></workbook>`,
    'xl/sharedStrings.xml': `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><sst ${NAMESPACES} count="${TEXTS.length}" uniqueCount="${TEXTS.length}">${TEXTS.map((one) => `<si><t>${one}</t></si>`).join('')}</sst>`,
    'xl/styles.xml': `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><styleSheet ${NAMESPACES}><numFmts count="6">${FORMATS.map(([id, code]) => `<numFmt numFmtId="${id}" formatCode="${code}"/>`).join('')}</numFmts><cellStyleXfs count="1"><xf borderId="0" fillId="0" fontId="0" numFmtId="0" applyAlignment="1" applyFont="1"/></cellStyleXfs><cellXfs count="9">${['0', '0', '164', '165', '166', '167', '9', '168', '169'].map((id) => `<xf borderId="0" fillId="0" fontId="1" numFmtId="${id}" xfId="0" applyAlignment="1" applyFont="1" applyNumberFormat="1"><alignment readingOrder="0"/></xf>`).join('')}</cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><worksheet ${NAMESPACES}><sheetPr><outlinePr summaryBelow="0" summaryRight="0"/></sheetPr><sheetViews><sheetView workbookViewId="0"/></sheetViews><sheetFormatPr customHeight="1" defaultColWidth="12.63" defaultRowHeight="15.75"/><sheetData>
<row r="1">${TEXTS.slice(0, 10)
      .map((_, at) => text(`${String.fromCharCode(65 + at)}1`, at))
      .join('')}</row>
<row r="2">${text('A2', 10)}${text('B2', 11)}${number('C2', 2, '0.8125')}${number('D2', 3, '46356.0')}${number('E2', 4, '46356.8125')}${number('F2', 5, '1.5034722222222223')}${number('G2', 1, '19.9')}${number('H2', 6, '0.5')}${number('I2', 7, '7.0')}${number('J2', 8, '1234.5')}</row>
<row r="3">${text('A3', 12)}${number('B3', 1, '4.915112345679E12')}${number('C3', 2, '0.003472222222222222')}${number('D3', 3, '46812.0')}${number('E3', 4, '46388.0')}${number('F3', 5, '0.03125')}${number('G3', 1, '0.30000000000000004')}${number('H3', 6, '1.25')}${number('I3', 7, '123.0')}${number('J3', 8, '-0.5')}</row>
</sheetData><drawing r:id="rId1"/></worksheet>`,
  })
