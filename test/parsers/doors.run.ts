import { makeAccountHolder, makeGuestHolder } from '../../src/platform/limits/limit-holder.ts'
import { admission } from '../../src/platform/limits/shared-limits.ts'
import {
  type DescribedRequest,
  describedRequests,
  placed,
} from '../support/server/described-requests.ts'
import { basic } from '../support/server/request.ts'
import { ANN, as, PHONES, startServerWithUsers } from '../support/server/server-with-users.ts'
import { filled, JSON_BAITS, PIECES } from './bait.ts'
import { clientApart } from './client.ts'
import type { ShotAnswer } from './client-thread.ts'
import { blockMs, MAX_BLOCK_MS, roughBlockMs } from './loop.ts'

// Every route of the API's description gets hostile bodies, forms and queries, as the caller whom it lets in.
// A search of two steps: small ones at every place, then the most costly of them in larger sizes.

const server = await startServerWithUsers({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const [[root]] = (await server.rows('select id from _superusers')) as [[string]]
const user = await server.signedIn('users', ANN.id)
const hook = { user: ANN.id, name: 'Mail', preset: 'text', recipients: ['+4911111'] }
const { body: made } = await server.ask('POST', '/api/collections/hooks/records', hook, user)
const fire = clientApart()

const CALLERS: readonly Readonly<Record<string, string>>[] = [
  user,
  { ...as(ANN), 'access-token': ANN.key, authorization: `Bearer ${ANN.key}` },
  basic(ANN.email, ANN.key),
  await server.signedIn('devices', PHONES[0]),
  await server.signedIn('_superusers', root),
  {},
]

/** Gives back the clients' rates: they bound how often somebody asks, and this is about one call. */
function refund() {
  for (const holder of [makeAccountHolder('users', ANN.id), makeGuestHolder('127.0.0.1')])
    for (const rate of [admission.bodyBytes, admission.filterShapes, admission.subscriptions])
      rate.charge(holder, -1e9)
}

/** A request without its caller. */
interface Bait {
  readonly path: string
  readonly type: string
  readonly body: string
}

/** A request that can be sent again and again. */
function shotOf(
  method: string,
  { path, type, body }: Bait,
  caller: Readonly<Record<string, string>>,
) {
  const accept = 'application/json, text/event-stream'
  const headers = { accept, ...(type && { 'content-type': type }), ...caller }
  const shot = { url: server.url + path, method, headers, body: Buffer.from(body) }
  return (): Promise<ShotAnswer> => {
    refund()
    return fire(shot)
  }
}

/** A bait in any size: `bytes` of a body, or of a query. */
interface Lure {
  readonly name: string
  readonly sizes: readonly number[]
  readonly make: (bytes: number) => Bait
}

const JSON_TYPE = 'application/json'
const FORM = 'application/x-www-form-urlencoded'
/** Near what doors allow: 64 KiB, 20,000 keys, 1 MiB, 2 MiB. */
const BODIES = [60_000, 240_000, 1_040_000, 2_090_000]
/** A request's head has 16 kB. */
const QUERIES = [3_400, 14_000]

function luresFor({ path, types, example, properties, query }: DescribedRequest): Lure[] {
  const places = [...properties.filter((names) => names.length === 1), ['others']]
  const inJson = (place: readonly string[], value: string) =>
    JSON.stringify({ ...example, ...placed(place, '@@') }).replace('"@@"', () => value)
  const json = places.flatMap((place) =>
    JSON_BAITS.map(
      ([name, make]): Lure => ({
        name: `${place.join('.')}: ${name}`,
        sizes: BODIES,
        make: (bytes) => ({ path, type: JSON_TYPE, body: inJson(place, make(bytes)) }),
      }),
    ),
  )
  const forms = places.flatMap(([name]) =>
    PIECES.map(
      (piece): Lure => ({
        name: `${name} of a form: ${JSON.stringify(piece)}`,
        sizes: BODIES,
        make: (bytes) => {
          const value = encodeURIComponent(piece.toWellFormed())
          return { path, type: FORM, body: `${name}=${filled(value, bytes)}` }
        },
      }),
    ),
  )
  const queries = query.flatMap((name) =>
    PIECES.map(
      (piece): Lure => ({
        name: `${name} of the query: ${JSON.stringify(piece)}`,
        sizes: QUERIES,
        make: (bytes) => {
          const value = filled(encodeURIComponent(piece.toWellFormed()), bytes)
          return { path: `${path}?${encodeURIComponent(name)}=${value}`, type: '', body: '' }
        },
      }),
    ),
  )
  const ofForms = types.includes(FORM) || types.includes('multipart/form-data')
  return [...(types.includes(JSON_TYPE) ? json : []), ...(ofForms ? forms : []), ...queries]
}

/** How many of the baits for a route are tried in all sizes. */
const CHOSEN = 4

/** The routes of most collections: those of others have the same readers. */
const SAME = /^\/api\/collections\/(?!(?:contacts|users|hooks|webhooks)\/)\w+\//

const requests = describedRequests(server.services, { secret: made.secret, id: ANN.id }).filter(
  (request) => !SAME.test(request.path) && luresFor(request).length > 0,
)

async function callerFor({ method, path, example, types }: DescribedRequest) {
  const type = types.includes(JSON_TYPE) ? JSON_TYPE : (types[0] ?? '')
  for (const caller of CALLERS) {
    const body = type === JSON_TYPE ? JSON.stringify(example) : ''
    const { status } = await shotOf(method, { path, type, body }, caller)()
    if (status !== 401 && status !== 403) return caller
  }
  return {}
}

test.each(requests)('$method $path', { timeout: 600_000 }, async (request) => {
  const { method } = request
  const lures = luresFor(request)
  const caller = await callerFor(request)
  const tried: { ms: number; lure: Lure }[] = []
  for (const lure of lures)
    tried.push({ lure, ms: await roughBlockMs(shotOf(method, lure.make(lure.sizes[0]!), caller)) })
  const chosen = tried.toSorted((a, b) => b.ms - a.ms).slice(0, CHOSEN)
  const slow: string[] = []
  for (const { lure } of chosen)
    for (const size of lure.sizes) {
      let answer: ShotAnswer | undefined
      const shot = shotOf(method, lure.make(size), caller)
      const ms = await blockMs(async () => {
        answer = await shot()
      })
      if (ms > MAX_BLOCK_MS)
        slow.push(
          `${lure.name} (${size} bytes): ${Math.round(ms)} ms, ${answer?.status} ${answer?.text}`,
        )
    }
  expect(slow).toEqual([])
})
