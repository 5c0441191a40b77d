import { once } from 'node:events'
import { request as openRequest } from 'node:http'
import { findMaxBodyBytes } from '../../src/engine/fields/field-types.ts'
import type { MaxBytes } from '../../src/http/route-limits.ts'
import { makeGuestHolder } from '../../src/platform/limits/limit-holder.ts'
import { admission } from '../../src/platform/limits/shared-limits.ts'
import { fillPath, ROWS } from '../http/caller-rows.ts'
import { startCallersFixture } from '../http/callers-fixture.ts'
import { must } from '../support/server/server-with-devices.ts'
import { TRIES_ALL } from '../support/tries-all.ts'

// Each route that takes a body, with each kind of credentials and type of body: up to the limit of its row
// the answer is the route's own, above it 413. A body above 4 MiB is announced only.

const fixture = await startCallersFixture()
const { server, user, holder, credentials } = fixture

const SENT_BYTES = 4 << 20
const KIB = 1 << 10
/** More than a guest may send. */
const MORE_THAN_GUESTS = 66_000
const TYPES = [
  'application/json',
  'multipart/form-data; boundary=sizes',
  'application/x-www-form-urlencoded',
]

/** A body of exactly this many bytes that no route accepts, but each reads to its end. */
function makeBody(type: string, bytes: number): string {
  const [head, tail] = type.startsWith('multipart')
    ? ['--sizes\r\nContent-Disposition: form-data; name="name"\r\n\r\n../', '\r\n--sizes--\r\n']
    : type.endsWith('json')
      ? ['{"name":"../"', '}']
      : ['name=../', '']
  const filling = type.endsWith('json') ? ' ' : 'x'
  return head + filling.repeat(bytes - head.length - tail.length) + tail
}

/** The limit of a row for a type of body. Some depend on the type, settings or the collection in the path. */
function readLimit(maxBytes: MaxBytes, at: string, type: string): number {
  if (typeof maxBytes === 'number') return maxBytes
  if (at.includes('/sms/send')) return type.startsWith('multipart') ? 32 << 20 : 4 << 20
  if (at.includes('/batch')) return 128 << 20
  const { fields } = server.server.services.store.catalog.find('contacts')!
  return fields.reduce((sum, field) => sum + findMaxBodyBytes(field), 32 << 20)
}

const guest = makeGuestHolder('127.0.0.1')
/** The rate of bytes is another limit. */
function refundBytes(): void {
  for (const one of [holder, guest]) admission.bodyBytes.charge(one, -64 << 20)
}

async function ask(method: string, path: string, headers: object, type: string, bytes: number) {
  refundBytes()
  const answer = await fetch(server.url + path, {
    method,
    headers: { 'content-type': type, ...headers },
    body: makeBody(type, bytes),
    redirect: 'manual',
  })
  return { status: answer.status, text: await answer.text() }
}

/** Announces a body, and sends none of it. */
async function announce(
  method: string,
  path: string,
  headers: object,
  type: string,
  bytes: number,
) {
  refundBytes()
  const { hostname, port } = new URL(server.url)
  const all = { 'content-type': type, 'content-length': bytes, ...headers }
  const sent = openRequest({ hostname, port, method, path, headers: all, agent: false })
  sent.on('error', () => {})
  sent.flushHeaders()
  const [answer] = await once(sent, 'response')
  sent.destroy()
  return { status: answer.statusCode as number, text: '' }
}

const IN_BODY = 'the key is in the body: limits take its caller for a guest'
const BY_SECRET =
  'a secret of the path, which no credentials of the fixture have, comes before the body'
/** Rows that refuse all credentials of the fixture before they read a body. */
const UNTRIED: Readonly<Record<string, string>> = {
  'POST /http_api/send_sms': IN_BODY,
  'POST /http_api/send_tocontact': IN_BODY,
  'POST /http_api/send_togroup': IN_BODY,
  'POST /api/devices/carriers/calls/:token': BY_SECRET,
  'POST /api/mobile/v1/incoming/:path': BY_SECRET,
  'POST /join/:id': BY_SECRET,
  'POST /leave/:token': BY_SECRET,
  'POST /api/account/act-for': 'is for members, and the fixture has none',
  'POST /api/oauth2-redirect': 'answers 303 to every error',
  'POST /api/collections/:collection/auth-with-oauth2': 'users do not sign in so here',
  'POST /api/collections/:collection/auth-with-otp': 'users do not sign in so here',
  'POST /api/collections/:collection/request-otp': 'users do not sign in so here',
}

const contact = await must(user, 'POST', '/api/collections/contacts/records', {
  user: user.id,
  phone: '+4915112345679',
})

/** Would end the sessions that all other rows are tried with. */
const ENDS_SESSIONS = 'POST /api/account/end-other-sessions'
const LIMITED = ROWS.filter(
  ({ maxBytes, at }) => maxBytes !== undefined && !at.startsWith('GET') && at !== ENDS_SESSIONS,
)

test.each(LIMITED.map((row) => [row.at, row] as const))('%s has one limit', async (at, row) => {
  const collection = at.includes('/records') ? 'contacts' : 'users'
  const id = at.includes('/records/:id') ? contact.id : user.id
  const { method, path } = fillPath(at, { ...fixture.ids, collection, id })
  const wrong: string[] = []
  let tried = 0
  /** Types of bodies that somebody has sent up to the limit. Others send less of them on a landing. */
  const reached = new Set<string>()
  const bySecret = at === 'POST /api/hooks' && {
    secret: { authorization: `Bearer ${fixture.ids.secret}` },
  }
  for (const [name, headers] of Object.entries({ ...credentials, ...bySecret })) {
    if (/forged|wrong/.test(name)) continue
    for (const type of TYPES) {
      const first = await ask(method, path, headers, type, KIB)
      // whoever is refused, or redirected, before the body is read has no limit
      if ([303, 401, 403, 404].includes(first.status)) continue
      tried++
      const limit = readLimit(row.maxBytes!, at, type)
      const isGuest = name === 'none' || !isKnown(at, name)
      const guestLimit = isGuest ? Math.min(limit, 64 * KIB) : limit
      const isWhole = TRIES_ALL || isGuest || !reached.has(type)
      if (!isGuest) reached.add(type)
      const largest = isWhole ? limit : Math.min(limit, MORE_THAN_GUESTS)
      const sizes = [65_000, largest].filter((bytes) => bytes <= Math.min(guestLimit, SENT_BYTES))
      for (const bytes of sizes) {
        const { status, text } = await ask(method, path, headers, type, bytes)
        if (status === 413 || status >= 500 || /bytes of bodies/.test(text))
          wrong.push(`${name}, ${type}, ${bytes}: ${status} ${text.slice(0, 80)}`)
      }
      if (isGuest || limit === Number.POSITIVE_INFINITY) continue
      const over = limit < SENT_BYTES ? ask : announce
      const { status, text } = await over(method, path, headers, type, limit + 1)
      const documented = /at most (\d+) bytes/.exec(text)?.[1]
      if (status !== 413 || (documented !== undefined && Number(documented) !== limit))
        wrong.push(`${name}, ${type}, ${limit} + 1: ${status} ${text.slice(0, 80)}`)
    }
  }
  expect(wrong).toEqual([])
  expect(tried > 0, `some credentials reach the body: ${at}`).toBe(!(at in UNTRIED))
})

/** Whether these credentials have a caller at the row. */
function isKnown(at: string, name: string): boolean {
  const credentialsOfRow = ROWS.find((row) => row.at === at)!.permission.credentials
  const { catalog } = server.server.services.store
  const headers = credentials[name]!
  if (credentialsOfRow)
    return Boolean(credentialsOfRow.findCached({ headers, ip: '127.0.0.1' }, catalog))
  return name.startsWith('token of a')
}
