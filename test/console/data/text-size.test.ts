import { formatTextSize } from '../../../console/src/data/text/text-size.ts'

test('the counter counts a link to leave as the address for which it stands', () => {
  expect(formatTextSize('{{stop_link}}')).toBe('about 62 of 160 characters, 1 segment')
  expect(formatTextSize(`${'x'.repeat(120)} {{ Stop_Link }}`)).toContain('2 segments')
})

test('the counter counts other variables by their names', () => {
  expect(formatTextSize('Hello {{name}}')).toBe('about 10 of 160 characters, 1 segment')
})

test('the counter counts no segments of a text with pictures, which is an MMS', () => {
  expect(formatTextSize('x'.repeat(200), true)).toBe('200 characters, MMS')
})
