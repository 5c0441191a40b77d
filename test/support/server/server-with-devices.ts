import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { Logger } from '../../../src/platform/log.ts'
import { makeRandomId } from '../../../src/platform/tools/random.ts'
import type { TestServer } from '../database/open.ts'
import { request } from './request.ts'
import { SUPERUSER, startServer } from './start.ts'

// A server with users and paired devices, spoken to over HTTP only.

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  readonly body: any
}

/** Someone who asks: a user, a device, or nobody. */
export interface Client {
  readonly id: string
  readonly token: string
  call(method: string, path: string, body?: unknown): Promise<Answer>
}

export type ServerWithDevices = Awaited<ReturnType<typeof withDevices>>

/** Of users that `makeUser` makes. */
export const PASSWORD = 'secret-enough'

/** Starts a server on a database of its own. */
export const startServerWithDevices = async (env: Record<string, string> = {}, log?: Logger) =>
  withDevices(await startServer({ env, log }))

/** The same over a server that runs, with SUPERUSER in it. */
export async function withDevices(server: TestServer) {
  const { url } = server
  const guest = client(url, '', '')
  const superuser = await signIn(url, '_superusers', SUPERUSER.email, SUPERUSER.password)
  return {
    url,
    server,
    guest,
    superuser,
    makeUser: (): Promise<Client> => makeUser(url, superuser),
    /** Pairs a device of a user by a code. */
    pair: (user: Client, body?: object) => pairDevice(url, user, body),
    hear,
    /** Rows of a statement. */
    query: async (sql: string, params?: unknown[]) =>
      (await server.services.store.db.query(sql, params)).rows,
    stop: () => server.stop(),
  }
}

let clock = Date.now()
/** Texts come in at a phone, each later than the one before. */
async function hear(phone: Client, texts: readonly (readonly [from: string, body: string])[]) {
  const items = texts.map(([from, body]) => {
    clock = Math.max(clock + 1, Date.now())
    return { from, body, received_at: new Date(clock).toISOString() }
  })
  await must(phone, 'POST', '/api/devices/incoming', { items })
}

/** The body of an answer. Throws unless it is a success. */
export async function must(by: Client, method: string, path: string, body?: unknown) {
  const answer = await by.call(method, path, body)
  if (answer.status >= 300)
    throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** Signs in at the server of `url`. */
export async function signIn(
  url: string,
  collection: string,
  identity: string,
  password: string,
): Promise<Client> {
  const path = `/api/collections/${collection}/auth-with-password`
  const { token, record } = await must(client(url, '', ''), 'POST', path, { identity, password })
  return client(url, record.id, token)
}

/** A new user, made by the superuser, who is signed in. */
export async function makeUser(
  url: string,
  superuser: Client,
  values: Readonly<Record<string, unknown>> = {},
): Promise<Client & { readonly email: string }> {
  const email = String(values.email ?? `${makeRandomId()}@example.com`)
  const user = { email, password: PASSWORD, passwordConfirm: PASSWORD, ...values }
  await must(superuser, 'POST', '/api/collections/users/records', user)
  return { ...(await signIn(url, 'users', email, PASSWORD)), email }
}

/** A device of a user, paired by a code. */
export async function pairDevice(url: string, user: Client, body: object = {}): Promise<Client> {
  const { code } = await must(user, 'POST', '/api/devices/pairing', { name: 'Phone' })
  const paired = await must(client(url, '', ''), 'POST', '/api/devices/pair', {
    code,
    platform: 'android',
    ...body,
  })
  return client(url, paired.record.id, paired.token)
}

/** Whoever has this token. */
export const client = (url: string, id: string, token: string): Client => ({
  id,
  token,
  async call(method, path, body) {
    const headers = { ...(token && { authorization: token }) }
    const answer = await request(url, method, path, body, headers)
    return { status: answer.status, body: answer.body }
  },
})

/** An open event stream. `next` waits for the next event of a name, `close` hangs up. */
export async function openStream(url: string, token: string, path = '/api/devices/events') {
  const hangUp = new AbortController()
  const response = await fetch(url + path, {
    headers: { authorization: token },
    signal: hangUp.signal,
  })
  const heard: { name: string; data: string; at: number }[] = []
  let more = () => {}
  let isOver = false
  const read = async () => {
    const events = response
      .body!.pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())
    for await (const { event: name = '', data } of events) {
      heard.push({ name, data, at: performance.now() })
      more()
    }
  }
  const reading = read()
    .catch(() => {})
    .finally(() => {
      isOver = true
      more()
    })
  return {
    heard,
    ended: reading,
    async next(name: string, withinMs = 40_000) {
      const end = performance.now() + withinMs
      for (;;) {
        const i = heard.findIndex((event) => event.name === name)
        if (i >= 0) return heard.splice(i, 1)[0]!
        const leftMs = end - performance.now()
        if (leftMs <= 0 || isOver) throw new Error(`no ${name} was said`)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, leftMs)
          more = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
    },
    async close() {
      hangUp.abort()
      await reading
    },
  }
}
