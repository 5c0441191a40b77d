import { makePlace, matchNumber } from '../../../src/gateway/base/personal-data.ts'
import {
  type ExportedRow,
  makePageWords,
  renderMoreRows,
  renderPlaceHead,
  renderRow,
} from '../../../src/gateway/people/export-page.ts'

const words = makePageWords({ language: 'de', timeZone: 'Europe/Berlin', country: 'DE' })
const makeTestPlace = (title: string, ...onPage: string[]) =>
  makePlace({ table: 'contacts', title, rows: matchNumber(), onPage, erasure: 'records' })
/** The lines of a row, as `label: value`. */
function listLines(row: ExportedRow, names: ReadonlyMap<string, string> = new Map()): string[] {
  const html = renderRow(words, makeTestPlace('', ...Object.keys(row)), row, { copies: [], names })
  return [...html.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/gs)].map(
    ([, label, value]) => `${label}: ${value}`,
  )
}

test.each([
  [{ name: '', groups: [], data: null, opted_out: false, labels: undefined }, []],
  [{ opted_out: true, points: 0 }, ['Abgemeldet: ja', 'points: 0']],
  [{ status: 'delivered' }, ['Status: zugestellt']],
  [
    { error_message: 'Canceled', detail: 'No signal' },
    ['Grund: Abgebrochen', 'Details: No signal'],
  ],
  [{ sent_at: '2026-11-30 08:56:02.474Z' }, ['Gesendet am: 30. Nov. 2026, 09:56 MEZ']],
  [{ modified: '2026-07-01T08:56:02.47411+00:00' }, ['Gespeichert am: 1. Juli 2026, 10:56 MESZ']],
  [{ body: '2026-11-30 08:56:02.474Z' }, ['Text: 2026-11-30 08:56:02.474Z']],
  [
    { data: { Ort: 'Köln', Tel: ['1', '2'], Leer: '', An: { Nr: 1, Tür: 'b' }, Mehr: [{ a: 1 }] } },
    ['Weitere Angaben: Ort: Köln\nTel: 1, 2\nAn: Nr: 1, Tür: b\nMehr: [{&#34;a&#34;:1}]'],
  ],
  [{ data: '<b>' }, ['Weitere Angaben: &lt;b&gt;']],
  [{ attachments: ['a.jpg', 'b.jpg'] }, ['Dateien: a.jpg, b.jpg']],
  [{ favorite_color: 'red' }, ['favorite color: red']],
  [{ constructor: 'x' }, ['constructor: x']],
] as const)('a row %j has the lines %j', (row, lines) => {
  expect(listLines(row)).toEqual(lines)
})

test('a row names other records, without deleted ones, and keeps what is no id', () => {
  const names = new Map([['aaaaaaaaaaaaaaa', 'Stammkunden']])
  const row = {
    groups: ['aaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbb'],
    device: 'bbbbbbbbbbbbbbb',
    label: 'Büro-SIM',
  }
  expect(listLines(row, names)).toEqual(['Gruppen: Stammkunden', 'label: Büro-SIM'])
})

test('a row without values has no block', () => {
  const place = makeTestPlace('Notes', 'text')
  expect(renderRow(words, place, { text: '' }, { copies: [], names: new Map() })).toBe('')
})

test('a place of an installation keeps its title, and a cut place says how many rows are left', () => {
  expect(renderPlaceHead(words, makeTestPlace('Notes'))).toBe('<h2>Notizen</h2>\n')
  expect(renderPlaceHead(words, makeTestPlace('pets'))).toBe('<h2>pets</h2>\n')
  expect(renderMoreRows(words, 2_000)).toBe(
    '<p>2.000 weitere Einträge stehen in der JSON-Datei.</p>\n',
  )
})
