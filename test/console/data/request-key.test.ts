import { requestKeys } from '../../../console/src/data/line/request-key.ts'

test('a request keeps its key until it is sent, and another request gets another key', () => {
  const keys = requestKeys()
  const first = keys.of({ to: ['+4915120000010'], body: 'Hello' })
  expect(first).toMatch(/^[0-9a-f]{32}$/)
  expect(keys.of({ to: ['+4915120000010'], body: 'Hello' })).toBe(first)
  expect(keys.of({ to: ['+4915120000010'], body: 'Hello!' })).not.toBe(first)
  keys.renew()
  expect(keys.of({ to: ['+4915120000010'], body: 'Hello' })).not.toBe(first)
})
