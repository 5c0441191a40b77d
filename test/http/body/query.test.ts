import { readQuery } from '../../../src/http/query.ts'

test('a key named __proto__ is a key like any other', () => {
  const query = readQuery('/a?__proto__=x')
  expect(Object.hasOwn(query, '__proto__')).toBe(true)
  expect(Object.getPrototypeOf(query)).toBe(Object.prototype)
})
