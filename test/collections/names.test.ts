import { expect, test } from 'vitest'
import { columnName, quote, tableName } from '../../src/collections/catalog.ts'

test.each([
  ['a name stays', 'contacts', 'contacts'],
  ['capitals stay', '_authOrigins', '_authOrigins'],
  ['63 bytes still fit', 'x'.repeat(63), 'x'.repeat(63)],
])('table: %s', (_, name, expected) => expect(tableName({ name })).toBe(expected))

test.each([
  ['too long', 'x'.repeat(64)],
  ['one of the gateway', 'Reply_mails'],
  ['one that Postgres would look up in its own catalog', 'pg_class'],
])('table: %s gets another name of at most 63 bytes', (_, name) => {
  expect(tableName({ name })).not.toBe(name)
  expect(tableName({ name })).toMatch(/^(?!pg_)\w{1,63}$/)
})

test.each(['_rowid', 'xmin', 'ctid', 'y'.repeat(64)])('column: %s is taken or too long', (name) => {
  expect(columnName(name)).not.toBe(name)
  expect(Buffer.byteLength(columnName(name))).toBeLessThanOrEqual(63)
})

test('two long names stay two', () => {
  const long = 'x'.repeat(80)
  expect(columnName(`${long}a`)).not.toBe(columnName(`${long}b`))
})

test('quotes inside an identifier are doubled', () => expect(quote('a"b')).toBe('"a""b"'))
