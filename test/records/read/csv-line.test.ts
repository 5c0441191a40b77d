import { csvLine } from '../../../src/records/read/export.ts'

test.each([
  ['a formula', '=1+1', "'=1+1"],
  ['a formula in wide characters', '＝1+1', "'＝1+1"],
  ['one after a byte order mark', '\ufeff=1+1', "'\ufeff=1+1"],
  ['one after a line end', '\n=1+1', `"'\n'=1+1"`],
  ['one after blanks and a character without width', ' \u200b@A1', "' \u200b@A1"],
  ['one where a semicolon parts cells', 'x;=cmd', "x;'=cmd"],
  ['one behind a quote', 'x;"=cmd', `"x;""'=cmd"`],
  ['one on another line', 'x\n+1+cmd', `"x\n'+1+cmd"`],
  ['one after a tab', 'x\t-1', "x\t'-1"],
  ['one after a control character', '\u0085\u0001=1+1', "'\u0085\u0001=1+1"],
  ['one in small characters', '﹦1+1', "'﹦1+1"],
  ['a phone number', '+4915112345678', '+4915112345678'],
  ['a phone number on another line', 'call;+4915112345678 now', 'call;+4915112345678 now'],
  ['a list with dashes', 'buy:\n- milk', '"buy:\n- milk"'],
  ['an equation', 'a = 1 + 1', 'a = 1 + 1'],
])('%s', (_, text, cell) => expect(csvLine([text])).toBe(`${cell}\r\n`))

test.each([
  ['in an object', { note: 'x;=cmd' }, `"{""note"":""x;'=cmd""}"`],
  ['as a name in an object', { 'x;@cmd': 1 }, `"{""x;'@cmd"":1}"`],
  ['in a list of texts', ['a', '=cmd'], `"a,'=cmd"`],
  ['in a list of anything', [1, ';-cmd'], `"[1,"";'-cmd""]"`],
  ['a number', -1.5, '-1.5'],
])('a formula %s', (_, value, cell) => expect(csvLine([value])).toBe(`${cell}\r\n`))

test('names of columns are guarded, too', () => {
  expect(csvLine(['=1+1', 'expand.device.name'])).toBe("'=1+1,expand.device.name\r\n")
})
