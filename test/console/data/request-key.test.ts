import { requestKeys } from '../../../console/src/data/line/request-key.ts'

test('the same request again has the same key', () => {
  const keys = requestKeys()
  const first = keys.of({ to: ['+4915120000010'], body: 'Hello' })
  expect(first).toMatch(/^[0-9a-f]{32}$/)
  expect(keys.of({ to: ['+4915120000010'], body: 'Hello' })).toBe(first)
})

test('another request has another key', () => {
  const keys = requestKeys()
  expect(keys.of({ body: 'Hello' })).not.toBe(keys.of({ body: 'Hello!' }))
})

test('after a send the same text is another request', () => {
  const keys = requestKeys()
  const first = keys.of({ body: 'Hello' })
  keys.renew()
  expect(keys.of({ body: 'Hello' })).not.toBe(first)
})
