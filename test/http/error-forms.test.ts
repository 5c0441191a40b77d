import { createUnavailableApp } from '../../src/main/app.ts'
import { withDevices } from '../support/server/server-with-devices.ts'
import { startServer } from '../support/server/start.ts'

// Errors have the form of the routes they come from, whatever raises them.

type Json = Record<string, unknown>

const GATEWAY = ['error', 'message']
const POCKETBASE = ['data', 'message', 'status']
const SMSGATE = ['message']
const FORMS: readonly (readonly [family: string, keys: readonly string[]])[] = [
  ['/api/sms', GATEWAY],
  ['/api/campaigns', GATEWAY],
  ['/api/devices', GATEWAY],
  ['/api/webhooks', GATEWAY],
  ['/mcp', GATEWAY],
  ['/api/mobile/v1', SMSGATE],
  ['/api/3rdparty/v1', SMSGATE],
  ['/api/account', POCKETBASE],
  ['/api/collections', POCKETBASE],
  ['/vendel', POCKETBASE],
  ['/2010-04-01', ['code', 'message', 'more_info', 'status']],
]

const keysOf = async (answer: Response) => Object.keys((await answer.json()) as Json).sort()

const server = await startServer()
interface Described {
  readonly content: Record<string, { schema: Json }>
}
const document = (await (await fetch(`${server.url}/api/openapi.json`)).json()) as {
  paths: Record<string, Record<string, { responses: Json }>>
}

/** A part of the description, which may stand elsewhere in it. */
function resolved(part: unknown): unknown {
  const { $ref } = part as { $ref?: string }
  const steps = $ref?.slice('#/'.length).split('/') ?? []
  return steps.reduce((found: unknown, step) => (found as Json)[step], $ref ? document : part)
}

/** Whether an answer has the described form: text, or JSON with these keys. */
async function fits(answer: Response, described: unknown): Promise<boolean> {
  const [type, { schema }] = Object.entries((resolved(described) as Described).content)[0]!
  if (!answer.headers.get('content-type')?.startsWith(type)) return false
  if (type === 'text/plain') return true
  const { properties, required = [] } = resolved(schema) as {
    properties?: Json
    required?: string[]
  }
  // the form of other products' answers is theirs to document
  if (!properties) return true
  const keys = await keysOf(answer)
  return keys.every((key) => key in properties) && required.every((key) => keys.includes(key))
}

test.each(FORMS)(
  "an unknown route below %s is answered in its API's error form, with the keys %j",
  async (family, keys) => {
    const answer = await fetch(`${server.url}${family}/no/such/route`, { method: 'PUT' })
    expect([answer.status, await keysOf(answer)]).toEqual([
      family === '/2010-04-01' ? 401 : 404,
      keys,
    ])
  },
)

test.each([
  ['GET', '/api/sms/message'],
  ['GET', '/api/sms/send'],
  ['PUT', '/api/sms/messages/x'],
  ['GET', '/api/verify'],
  ['GET', '/api/campaigns/x/y'],
  ['GET', '/api/account'],
  ['GET', '/api/hooks/x/y/z'],
])(
  '%s %s, which is no route of ours, is answered with the address of the reference',
  async (method, path) => {
    const answer = await fetch(server.url + path, { method })
    const root = path.split('/', 3).join('/')
    const { publicUrl } = server.services.config
    const message = `No such route below ${root}: ${publicUrl}/docs shows all routes.`
    expect([answer.status, ((await answer.json()) as Json).message]).toEqual([404, message])
  },
)

test.each(FORMS)(
  "a 503 below %s is answered in its API's error form, with the keys %j, while the server cannot work",
  async (family, keys) => {
    const env = { incoming: { headers: {} }, outgoing: { setHeader() {} } }
    const app = createUnavailableApp(server.services, () => 'Not now.')
    const answer = await app.request(`${family}/any`, {}, env)
    expect([answer.status, await keysOf(answer)]).toEqual([503, keys])
  },
)

test.each(['/api/account/push', '/api/account/smsgate-key'])(
  "an invalid body of PUT %s is answered in PocketBase's error form",
  async (path) => {
    const user = await (await withDevices(server)).makeUser()
    const { status, body } = await user.call('PUT', path, {})
    expect([status, Object.keys(body).sort()]).toEqual([400, POCKETBASE])
  },
)

test('each documented route answers 429, and a hook 503, in its documented form', async () => {
  const { settings } = server.services
  const limited = { ...settings.current.rateLimits, enabled: true }
  const rule = { label: '/', audience: '' as const, duration: 3600, maxRequests: 1 }
  Object.assign(settings.current, { rateLimits: { ...limited, rules: [rule] } })
  const faults: string[] = []
  for (const [path, methods] of Object.entries(document.paths))
    for (const [method, { responses }] of Object.entries(methods)) {
      // callers of hooks repeat a 503 alone, and hooks answer 429 for codes; Vendel's API for the quota
      const status = /^\/api\/hooks(\/\{secret\})?$/.test(path) ? 503 : 429
      if (!responses[status] || path.startsWith('/vendel/')) continue
      const url = server.url + path.replace(/\{\w+\}/g, 'x')
      const ask = () => fetch(url, { method: method.toUpperCase() })
      await (await ask()).body?.cancel()
      const answer = await ask()
      if (answer.status !== status || !(await fits(answer, responses[status])))
        faults.push(`${method} ${path}: ${answer.status}`)
    }
  expect(faults).toEqual([])
})
