import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { BY_NOTHING, BY_TOKEN } from '../../src/http/identify-caller.ts'
import { makeUndescribedRow, mountRoutes } from '../../src/http/make-routes.ts'
import { answerFailure } from '../../src/http/middleware/answer-errors.ts'
import { limitRequests } from '../../src/http/middleware/limit-requests.ts'
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
app.use('*', limitRequests(services))
app.use('*', async (c, next) => {
  seenByLimits = c.env.incoming.caller?.id ?? null
  await next()
})
const probes = ROWS.map(({ at, tag, permission, bound, maxBytes }) => ({
  at,
  tag,
  ...(maxBytes !== undefined && { maxBytes }),
  ...makeUndescribedRow(permission, bound, async (asking, c) =>
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

test.each(ROWS.map(({ at }) => at))('%s has the caller of its limits', async (at) => {
  const { method, path } = fillPath(at, fixture.ids)
  const wrong: string[] = []
  for (const [name, headers] of Object.entries(fixture.credentials)) {
    seenByLimits = null
    const answer = await ask(method, path, headers)
    const text = await answer.text()
    // a refusal of 401 saw nobody; 403 and 404 refuse whoever asks
    const isRefused = answer.status === 403 || answer.status === 404
    const caller = answer.status === 200 && method !== 'HEAD' ? JSON.parse(text).caller : null
    if (!isRefused && caller !== seenByLimits)
      wrong.push(`${name}: ${answer.status}, limits ${seenByLimits}, row ${caller}`)
  }
  expect(wrong).toEqual([])
})

test('limits have a caller for each kind of credentials at some row', async () => {
  const seen = new Set<string>()
  for (const { at } of ROWS) {
    const { method, path } = fillPath(at, fixture.ids)
    for (const [name, headers] of Object.entries(fixture.credentials)) {
      if (seen.has(name)) continue
      seenByLimits = null
      await ask(method, path, headers)
      if (seenByLimits) seen.add(name)
    }
  }
  const right = Object.keys(fixture.credentials).filter((name) => !/forged|none/.test(name))
  expect([...seen].sort()).toEqual(right.sort())
})

test('each way in which rows are asked has a caller among these credentials', async () => {
  const rowsOf = Map.groupBy(
    ROWS.filter(({ permission }) => permission.credentials !== BY_NOTHING),
    ({ permission }) => permission.credentials ?? BY_TOKEN,
  )
  const headers = Object.entries(fixture.credentials)
    .filter(([name]) => !/forged|none|beside/.test(name))
    .map(([, one]) => one)
  const unasked: string[] = []
  for (const rows of rowsOf.values()) {
    seenByLimits = null
    for (const { at } of rows)
      for (const one of headers) {
        const { method, path } = fillPath(at, fixture.ids)
        if (!seenByLimits) await ask(method, path, one)
      }
    if (!seenByLimits) unasked.push(...rows.map(({ at }) => at))
  }
  expect(unasked).toEqual([])
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
