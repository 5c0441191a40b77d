import { expect, test } from 'vitest'
import { readQuery } from '../../../src/http/query.ts'

test.each([
  ['no query', '/a', {}],
  ['plus is a space', '/a?q=a+b', { q: 'a b' }],
  ['an escaped plus stays', '/a?q=a%2Bb', { q: 'a+b' }],
  ['the first value counts', '/a?q=1&q=2', { q: '1' }],
  ['a semicolon drops its pair', '/a?x=1;y=2&b=1', { b: '1' }],
  ['no equals sign is an empty value', '/a?b', { b: '' }],
  ['a question mark may stand in a value', '/a?b=c?d', { b: 'c?d' }],
  ['bytes that are not UTF-8', '/a?b=%ff', { b: '\ufffd' }],
  ['UTF-8', '/a?b=%C3%A4', { b: 'ä' }],
] as const)('%s', (_, url, values) => {
  expect(readQuery(url)).toEqual(values)
})

test('a key named __proto__ is a key like any other', () => {
  const query = readQuery('/a?__proto__=x')
  expect(Object.hasOwn(query, '__proto__')).toBe(true)
  expect(Object.getPrototypeOf(query)).toBe(Object.prototype)
})
