import { requestKeys } from '../../../console/src/data/connection/request-key.ts'

test('a request keeps its key until it is sent, and another request gets another key', () => {
  const keys = requestKeys()
  const first = keys.of({ to: ['+4915120000010'], body: 'Hello' })
  expect(first).toMatch(/^[0-9a-f]{32}$/)
  expect(keys.of({ to: ['+4915120000010'], body: 'Hello' })).toBe(first)
  expect(keys.of({ to: ['+4915120000010'], body: 'Hello!' })).not.toBe(first)
  keys.renew()
  expect(keys.of({ to: ['+4915120000010'], body: 'Hello' })).not.toBe(first)
})

test('the keys of one tab keep a request over a reload, until it is sent', () => {
  const items = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => items.set(name, value),
    removeItem: (name: string) => items.delete(name),
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  const key = requestKeys('send').of('Hello')
  expect(requestKeys('other').of('Hello')).not.toBe(key)
  const reloaded = requestKeys('send')
  const since = reloaded.since()
  expect(since).toBeGreaterThan(0)
  expect(reloaded.of('Hello')).toBe(key)
  expect(reloaded.since()).toBe(since)
  reloaded.renew()
  expect(items.has('pocketsms.draft.request-key.send')).toBe(false)
  expect(requestKeys('send').of('Hello')).not.toBe(key)
})
