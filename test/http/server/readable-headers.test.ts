import { startServer } from '../../support/server/start.ts'

// Scripts of pages of other origins read an answer's headers only if the answer names them.

const server = await startServer()

test.each([
  ['GET', '/api/health', 200],
  ['GET', '/api/nothing', 404],
  ['POST', '/api/sms/send', 401],
  ['POST', '/api/3rdparty/v1/messages', 401],
])('%s %s lets pages of other origins read what clients read', async (method, path, status) => {
  const answer = await fetch(server.url + path, {
    method,
    headers: { origin: 'https://shop.example.com' },
  })
  expect(answer.status).toBe(status)
  const named = answer.headers.get('access-control-expose-headers')?.toLowerCase().split(', ')
  expect(named).toEqual(
    expect.arrayContaining(['retry-after', 'date', 'location', 'idempotent-replayed']),
  )
  expect(named).toEqual(
    expect.arrayContaining(['x-total-count', 'content-disposition', 'x-request-id']),
  )
})

test('an answer to a program names no headers', async () => {
  const answer = await fetch(`${server.url}/api/health`)
  expect(answer.headers.get('access-control-expose-headers')).toBeNull()
})
