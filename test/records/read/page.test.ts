import { expect, test } from 'vitest'
import { readPage } from '../../../src/records/read/page.ts'

test.each([
  ['nothing asked', {}, '1', 30, '0'],
  ['a page', { page: '3', perPage: '20' }, '3', 20, '40'],
  ['signs and zeros', { page: '+2', perPage: '007' }, '2', 7, '7'],
  ['too small', { page: '0', perPage: '-5' }, '1', 30, '0'],
  ['too large', { perPage: '999999999' }, '1', 1000, '0'],
  ['empty', { page: '', perPage: '' }, '1', 30, '0'],
  ['runs over 64 bits, even', { page: '9223372036854775807' }, '9223372036854775807', 30, '0'],
  [
    'runs over 64 bits, odd',
    { page: '9223372036854775807', perPage: '3' },
    '9223372036854775807',
    3,
    '9223372036854775802',
  ],
] as const)('%s', (_, query, page, perPage, offset) => {
  expect(readPage(query)).toEqual({ page: BigInt(page), perPage, offset: BigInt(offset), skipTotal: false })
})

test.each(['1', 't', 'T', 'true', 'TRUE', 'True'])('skipTotal=%s', (skipTotal) => {
  expect(readPage({ skipTotal }).skipTotal).toBe(true)
})

test.each([
  { page: 'abc' },
  { page: '1.5' },
  { page: '1e2' },
  { page: '0x10' },
  { page: ' 2' },
  { page: '1_0' },
  { page: '9223372036854775808' },
  { perPage: '١' },
  { skipTotal: 'yes' },
  { skipTotal: 'tRue' },
] as Record<string, string>[])('%o is refused', (query) => {
  expect(() => readPage(query)).toThrow(expect.objectContaining({ status: 400 }))
})
