type Filter = (text: string, country: string) => string
const FILE = '../../../console/src/data/phone/contact-filter.ts'

// the client reads where the console stands: there is no such place in Node, nor in its types
vi.stubGlobal('location', new URL('http://127.0.0.1/'))
afterAll(() => vi.unstubAllGlobals())
const { contactFilter, conversationFilter, nameFilter }: Record<string, Filter> = await import(FILE)
const partsOf = (filter: string) => filter.replaceAll("'", '"').split(' || ')

test.each([
  ['as people write it', '0151 2000010', ['number ~ "1512000010"', 'number ~ "01512000010"']],
  ['a whole number', '+49 151 20000010', ['number ~ "+4915120000010"']],
  ['its last digits', '50 150', ['number ~ "50150"']],
  ['last digits that begin with zeros', '000 150', ['number ~ "+0150"', 'number ~ "000150"']],
  ['as a word with a digit, which is not a number', 'Termin 5', []],
  ['as two digits, which are not a number', '15', []],
])('a search for a number typed %s filters by $2', (_, text, found) => {
  const parts = partsOf(conversationFilter!(text, 'DE'))
  expect(parts.filter((part) => part.startsWith('number'))).toEqual(found)
})

test('names and last texts are found in any case', () => {
  const parts = partsOf(conversationFilter!('ünal', 'DE'))
  // the server ignores the case of ASCII letters: the second finds Ünal
  for (const written of ['ünal', 'ÜNAL']) expect(parts).toContain(`last_text ~ "${written}"`)
})

const namesOf = (filter: string) =>
  filter
    .replaceAll("'", '"')
    .split(' && ')
    .map((part) => part.match(/(?<=name ~ ").*?(?=")/g))

test('names are found word by word, in any case and with or without accents', () => {
  expect(namesOf(nameFilter!('ünal', ''))).toMatchObject([expect.arrayContaining(['ünal', 'ÜNAL', 'unal'])])
  expect(namesOf(nameFilter!('çagla', ''))).toMatchObject([expect.arrayContaining(['çağla', 'Çağla'])])
  expect(namesOf(nameFilter!('jorg oz', ''))).toMatchObject([
    expect.arrayContaining(['jorg', 'jörg', 'jorğ']),
    expect.arrayContaining(['öz', 'Öz']),
  ])
})

test("a filter of many long words stays below the server's limit", () => {
  const name = 'Maximilian Alexander Brandenburger zu Hohenzollern'
  expect(Buffer.byteLength(contactFilter!(name, 'DE'))).toBeLessThan(3_000)
  expect(contactFilter!(name, 'DE')).toMatch(/Hohenzollern/i)
})

test('contacts are found by name and number', () => {
  const filter = contactFilter!('+49 151 20000010', '')
  const words = ['+49', '151', '20000010'].map((word) => `(name ~ "${word}")`)
  expect(filter.replaceAll("'", '"')).toBe(`${words.join(' && ')} || phone ~ "+4915120000010"`)
})
