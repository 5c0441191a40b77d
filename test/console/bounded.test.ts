const FILE = '../../console/src/data/unread.ts'
const { formatBounded, isBounded } = await import(FILE)

test.each([
  [0, '0'],
  [999, '999'],
  [1_000, '999+'],
  [1_002, '999+'],
] as const)('a count of %i unread conversations is written %s', (count, words) => {
  expect(formatBounded(count)).toBe(words)
  expect(isBounded(count)).toBe(words.endsWith('+'))
})
