import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { BY_NOTHING, BY_TOKEN } from '../../src/http/identify-caller.ts'
import { makeUndescribedRow, mountRoutes } from '../../src/http/make-routes.ts'
import { answerFailure } from '../../src/http/middleware/answer-errors.ts'
import type { Ctx, Env } from '../../src/http/request-context.ts'
import { ServedRequest } from '../../src/http/served-request.ts'
import { makePathReader } from '../../src/http/server/clean-paths.ts'
import { APIS } from '../../src/main/features.ts'
import { listenLocally } from '../support/services/listen.ts'
import { fillPath, ROWS } from './caller-rows.ts'
import { startCallersFixture } from './callers-fixture.ts'

// Each row of the server, asked with each kind of credentials: limits and the row have the same caller.

const fixture = await startCallersFixture()
const { services } = fixture.server.server
const rules = [{ label: '/', audience: '', duration: 60, maxRequests: 1_000_000 }]
await services.settings.save({ rateLimits: { enabled: true, rules, excludedIPs: [] } })

/** What a permission hands to its row; all but what names the caller is ignored. */
interface Asking {
  readonly auth?: { readonly id: string }
  readonly holder?: { readonly auth: { readonly id: string } }
  readonly device?: { readonly id: string }
}

/** The id of the caller that the row has: by its permission, else as the row asks for it itself. */
async function findCallerOfRow({ auth, holder, device }: Asking, c: Ctx) {
  const known = auth?.id ?? holder?.auth.id ?? device?.id
  return known ?? (await c.env.incoming.identify(false))?.auth.id ?? null
}

let seenByLimits: string | null = null
const app = new Hono<Env>({ getPath: makePathReader(APIS) })
/** The permission, which first notes the caller that limits have found. */
const noteSeen = ({ withCaller, ...permission }: (typeof ROWS)[number]['permission']) => ({
  ...permission,
  withCaller: async (c: Ctx, own: never, work: (asking: unknown) => unknown) => {
    seenByLimits = c.env.incoming.caller?.id ?? null
    return withCaller ? withCaller(c, own, work) : work({ services: own })
  },
})
const probes = ROWS.map(({ at, tag, permission, bound, maxBytes }) => ({
  at,
  tag,
  ...(maxBytes !== undefined && { maxBytes }),
  ...makeUndescribedRow(noteSeen(permission), bound, async (asking, c) =>
    c.json({ caller: await findCallerOfRow((asking ?? {}) as Asking, c) }),
  ),
  send: () => undefined,
}))
app.route('/', mountRoutes(probes as unknown as typeof ROWS, services))
app.onError((error, c) => answerFailure(c, error, services))
const listener = getRequestListener(app.fetch)
const { url } = await listenLocally(
  createServer({ IncomingMessage: ServedRequest }, (request, response) => {
    request.serve(response, services)
    void listener(request, response)
  }),
)

/** SMSGate's routes read their JSON before the row gets its caller. */
const ask = (method: string, path: string, headers: Record<string, string>) =>
  fetch(url + path, {
    method,
    headers,
    ...(method !== 'GET' && path.includes('/3rdparty/') && { body: '{}' }),
  })

interface Asked {
  readonly name: string
  readonly status: number
  /** The caller whom limits saw, and whom the row has: each an id, or null. */
  readonly limits: string | null
  readonly row: string | null
}

/** Asks a row with each kind of credentials. */
async function askRow(at: string): Promise<Asked[]> {
  const { method, path } = fillPath(at, fixture.ids)
  const answers: Asked[] = []
  for (const [name, headers] of Object.entries(fixture.credentials)) {
    seenByLimits = null
    const answer = await ask(method, path, headers)
    const text = await answer.text()
    const row = answer.status === 200 && method !== 'HEAD' ? JSON.parse(text).caller : null
    answers.push({ name, status: answer.status, limits: seenByLimits, row })
  }
  return answers
}

const asked = new Map<string, readonly Asked[]>()
for (const { at } of ROWS) asked.set(at, await askRow(at))
const isRight = (name: string) => !/forged|none/.test(name)

test.each(ROWS.map(({ at }) => at))('%s has the caller of its limits', (at) => {
  // a refusal of 401 saw nobody; 403 and 404 refuse whoever asks
  const wrong = asked
    .get(at)!
    .filter(({ status, limits, row }) => status !== 403 && status !== 404 && limits !== row)
  expect(wrong).toEqual([])
})

test('limits have a caller for each kind of right credentials at some row, and for no others', () => {
  const seen = new Set(
    [...asked.values()].flat().flatMap(({ name, limits }) => (limits ? [name] : [])),
  )
  expect([...seen].sort()).toEqual(Object.keys(fixture.credentials).filter(isRight).sort())
})

test('each way in which rows are asked has a caller among these credentials', () => {
  const rowsOf = Map.groupBy(
    ROWS.filter(({ permission }) => permission.credentials !== BY_NOTHING),
    ({ permission }) => permission.credentials ?? BY_TOKEN,
  )
  const hasCaller = (at: string) =>
    asked.get(at)!.some(({ name, limits }) => limits && isRight(name) && !/beside/.test(name))
  const unasked = [...rowsOf.values()].filter((rows) => !rows.some(({ at }) => hasCaller(at)))
  expect(unasked.flat().map(({ at }) => at)).toEqual([])
})

test('rows that read no credentials have a secret in the path or body, and are these', () => {
  const rows = ROWS.filter(({ permission }) => permission.credentials === BY_NOTHING)
  expect(rows.map(({ at }) => at).toSorted()).toEqual([
    'GET /cgi-bin/sendsms',
    'GET /http_api/send_sms',
    'GET /http_api/send_tocontact',
    'GET /http_api/send_togroup',
    'POST /api/hooks',
    'POST /api/hooks/:secret',
    'POST /http_api/send_sms',
    'POST /http_api/send_tocontact',
    'POST /http_api/send_togroup',
    'POST /jsonrpc/sms',
  ])
})
