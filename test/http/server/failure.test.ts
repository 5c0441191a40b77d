import { expect, test } from 'vitest'
import { startServer } from '../../support/server/start.ts'
import { stopAfterAll } from '../../support/stop-after-all.ts'

const server = stopAfterAll(await startServer())

test.each([
  [
    'the record store',
    'POST',
    '/api/nope',
    { data: {}, message: "The requested resource wasn't found.", status: 404 },
  ],
  ['a read', 'GET', '/api/nope', { data: {}, message: 'File not found.', status: 404 }],
  [
    'sending',
    'POST',
    '/api/sms/nope',
    { error: 'not_found', message: "The requested resource wasn't found." },
  ],
  [
    'devices',
    'POST',
    '/api/devices/nope',
    { error: 'not_found', message: "The requested resource wasn't found." },
  ],
] as const)('an unknown route of %s answers in its own form', async (_, method, path, body) => {
  const response = await fetch(server.url + path, { method })
  expect(response.status).toBe(404)
  expect(await response.json()).toEqual(body)
})

test('too many requests answer in the form of the path', async () => {
  const { settings } = server.services
  await settings.save({
    rateLimits: { enabled: true, rules: [{ label: '/api/', duration: 60, maxRequests: 1 }] },
  })
  await fetch(`${server.url}/api/health`)
  const answers = await Promise.all(
    ['/api/health', '/api/sms/usage'].map(async (path) => (await fetch(server.url + path)).json()),
  )
  expect(answers).toEqual([
    { data: {}, message: 'Too Many Requests.', status: 429 },
    { error: 'too_many_requests', message: 'Too Many Requests.' },
  ])
})
