import { readFileSync } from 'node:fs'
import peggy from 'peggy'

type Named = { readonly name: string; readonly phone: string }
type Filter = (text: string, country: string, named?: readonly Named[]) => string
type HasWords = (text: string, search: string) => boolean
const [FILTERS, WORDS] = ['filters', 'words'].map(
  (name) => `../../../console/src/data/search/${name}.ts`,
)
const grammar = new URL('../../../grammar/filter.peggy', import.meta.url)
const { parse } = peggy.generate(readFileSync(grammar, 'utf8'))

// the client reads where the console stands: there is no such place in Node, nor in its types
vi.stubGlobal('location', new URL('http://127.0.0.1/'))
afterAll(() => vi.unstubAllGlobals())
const filters: Record<string, Filter> = await import(FILTERS!)
const { hasWords }: { hasWords: HasWords } = await import(WORDS!)
/** The filter with one kind of quotes, after the server's grammar has read it. */
function filterOf(name: string, text: string, named?: readonly Named[]): string {
  const filter = filters[name]!(text, 'DE', named)
  parse(filter)
  return filter.replaceAll("'", '"')
}

test.each([
  ['as people write it', '0151 2000010', ['number ~ "1512000010"', 'number ~ "01512000010"']],
  ['a whole number', '+49 151 20000010', ['number ~ "+4915120000010"']],
  ['its last digits', '50 150', ['number ~ "50150"']],
  ['last digits that begin with zeros', '000 150', ['number ~ "000150"']],
  ['as a word with a digit, which is not a number', 'Termin 5', []],
  ['as two digits, which are not a number', '15', []],
])('a search for a number typed %s filters by $2', (_, text, found) => {
  const filter = filterOf('writeConversationFilter', text)
  expect(filter.match(/number ~ "[^"]*"/g) ?? []).toEqual(found)
})

test('each word is found in one of the fields', () => {
  const inOne = (word: string) => `(name:fold ~ "${word}" || last_text:fold ~ "${word}")`
  expect(filterOf('writeConversationFilter', ' zimmer  Jörg zimmer')).toBe(
    `${inOne('zimmer')} && ${inOne('Jörg')}`,
  )
  expect(filterOf('writeContactFilter', 'jorg "ös"')).toBe(
    '(name:fold ~ "jorg") && (name:fold ~ "\\"ös\\"")',
  )
})

test('a number beside a name is found in the number', () => {
  expect(filterOf('writeContactFilter', 'anna 151200')).toBe(
    '(name:fold ~ "anna") && (name:fold ~ "151200" || phone ~ "151200")',
  )
})

const number = (name: string, digits: number) => ({ name, phone: `+49151${digits}` })
const inText = (word: string) => `body:fold ~ "${word}" || to ~ "${word}" || from ~ "${word}"`
const withNumber = (phone: string) => `to="${phone}"||from="${phone}"`

test('texts are found by words, numbers and names', () => {
  const named = [number('Jörg Weiß', 1), number('Anna Weiss', 2), number('Jorge', 3)]
  expect(filterOf('writeTextFilter', 'jorg weiss', named)).toBe(
    [
      `(${inText('jorg')} || ${withNumber('+491513')}) && (${inText('weiss')} || ${withNumber('+491512')})`,
      withNumber('+491511'),
    ].join('||'),
  )
})

test('words of one or two letters only narrow down the results of longer words', () => {
  expect(filterOf('writeTextFilter', 'am Montag')).toBe(
    `(body:fold ~ "am") && (${inText('Montag')})`,
  )
  expect(filterOf('writeTextFilter', 'am')).toBe('(id = "")')
  expect(filterOf('writeTextFilter', 'Jo', [number('Jo', 1)])).toBe(
    `(id = "")||${withNumber('+491511')}`,
  )
})

test("a filter of many words and contacts stays below the server's limits", () => {
  const named = Array.from({ length: 60 }, (_, i) => number(`Maximilian ${i}`, 10_000_000 + i))
  const filter = filterOf(
    'writeTextFilter',
    'Maximilian Alexander Brandenburger Hohenzollern',
    named,
  )
  expect(Buffer.byteLength(filter)).toBeLessThan(3_000)
  const long = filterOf(
    'writeTextFilter',
    Array.from({ length: 300 }, (_, i) => `word${i}`).join(' '),
  )
  expect(Buffer.byteLength(long)).toBeLessThan(3_000)
  expect(long.match(/~/g)!.length).toBeLessThan(200)
})

test.each([
  ['Jörg Weiß', 'weiss JORG', true],
  ['Łódź, øre', 'lodz ore', true],
  ['Anna Berg', 'ann er', true],
  ['Anna Berg', 'anna burg', false],
  ['Anna', '', true],
])('the name %j has the words %j: %j', (name, words, has) => {
  expect(hasWords(name, words)).toBe(has)
})
