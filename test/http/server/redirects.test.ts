import { request } from 'node:http'
import { startServer } from '../../support/server/start.ts'

const server = await startServer()

/** By Node's own client: fetch would clean the path itself. */
const ask = (method: string, path: string, origin: string) =>
  new Promise<unknown[]>((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    const asked = request({ hostname, port, method, path, headers: { origin } }, (response) => {
      const { location, vary } = response.headers
      const cors = response.headers['access-control-allow-origin']
      response.resume().on('end', () => resolve([response.statusCode, location, vary, cors]))
    })
    asked.on('error', reject).end()
  })

test.each([
  ['an unclean path is led to the clean one', 'GET', '/api//health?a=1', [307, '/api/health?a=1']],
  ['so is a preflight', 'OPTIONS', '/api/./health', [307, '/api/health']],
  ['and a form', 'POST', '/api/x/../health', [307, '/api/health']],
] as const)('%s', async (_, method, path, expected) => {
  expect((await ask(method, path, 'https://app.example')).slice(0, 2)).toEqual(expected)
})

test('an empty origin is none', async () => {
  expect(await ask('GET', '/api/health', '')).toEqual([200, undefined, 'Origin', undefined])
})

test('its page escapes the address as Go does', async () => {
  const { hostname, port } = new URL(server.url)
  const page = await new Promise<string>((resolve, reject) => {
    const asked = request({ hostname, port, path: `/api//x?a='b'&c="d"<e>` }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve(text)
    })
    asked.on('error', reject).end()
  })
  expect(page).toBe('<a href="/api/x?a=&#39;b&#39;&amp;c=&#34;d&#34;&lt;e&gt;">Temporary Redirect</a>.\n\n')
})
