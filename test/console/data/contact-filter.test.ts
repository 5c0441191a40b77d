import { afterAll, expect, test, vi } from 'vitest'

// the client reads where the console stands
vi.stubGlobal('location', new URL('http://127.0.0.1/'))
afterAll(() => vi.unstubAllGlobals())
const { contactFilter, conversationFilter } = await import('../../../console/src/data/phone/contact-filter.ts')

test.each([
  ['a number as people write it', '0151 2000010', ['number ~ "1512000010"']],
  ['a whole number', '0151 20000010', ['number ~ "+4915120000010"']],
  ['a word with a digit is no number', 'Termin 5', []],
  ['two digits are no number', '15', []],
])('conversations are found by number: %s', (_, text, found) => {
  const parts = conversationFilter(text, 'DE').replaceAll("'", '"').split(' || ')
  expect(parts.filter((part) => part.startsWith('number'))).toEqual(found)
})

test('names and last texts are found whatever their case', () => {
  const parts = conversationFilter('ünal', 'DE').replaceAll("'", '"').split(' || ')
  // the server ignores the case of ASCII letters: the second finds Ünal
  for (const field of ['name', 'last_text'])
    for (const written of ['ünal', 'ÜNAL']) expect(parts).toContain(`${field} ~ "${written}"`)
})

test('contacts are found by name and number', () => {
  expect(contactFilter('0151 20000010', 'DE').replaceAll("'", '"')).toBe(
    'name ~ "0151 20000010" || phone ~ "+4915120000010"',
  )
})
