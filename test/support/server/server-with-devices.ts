import { randomId } from '../../../src/tools/random.ts'
import type { TestServer } from '../database/open.ts'
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

export interface ServerWithDevices {
  readonly url: string
  readonly server: TestServer
  readonly guest: Client
  readonly superuser: Client
  makeUser(): Promise<Client>
  /** Pairs a device of a user by a code. */
  pair(user: Client, body?: object): Promise<Client>
  /** Texts come in at a phone, each later than the one before. */
  hear(phone: Client, texts: readonly (readonly [from: string, body: string])[]): Promise<void>
  /** Rows of a statement. */
  query(sql: string, params?: unknown[]): Promise<readonly (readonly unknown[])[]>
  stop(): Promise<void>
}

const PASSWORD = 'secret-enough'

/** Starts a server on a database of its own. */
export const startServerWithDevices = async (env: Record<string, string> = {}): Promise<ServerWithDevices> =>
  withDevices(await startServer({ env }))

/** The same over a server that runs, with SUPERUSER in it. */
export async function withDevices(server: TestServer): Promise<ServerWithDevices> {
  const { url } = server
  const guest = client(url, '', '')
  const superuser = await signIn(guest, url, '_superusers', SUPERUSER.email, SUPERUSER.password)
  return {
    url,
    server,
    guest,
    superuser,
    async makeUser() {
      const email = `${randomId()}@example.com`
      const values = { email, password: PASSWORD, passwordConfirm: PASSWORD }
      const made = await superuser.call('POST', '/api/collections/users/records', values)
      if (made.status !== 200) throw new Error(JSON.stringify(made.body))
      return signIn(guest, url, 'users', email, PASSWORD)
    },
    async pair(user, body = {}) {
      const { code } = (await user.call('POST', '/api/devices/pairing', { name: 'Phone' })).body
      const paired = await guest.call('POST', '/api/devices/pair', { code, platform: 'android', ...body })
      if (paired.status !== 200) throw new Error(JSON.stringify(paired.body))
      return client(url, paired.body.record.id, paired.body.token)
    },
    hear,
    query: async (sql, params) => (await server.services.store.db.query(sql, params)).rows,
    stop: () => server.stop(),
  }
}

let clock = Date.now()
async function hear(phone: Client, texts: readonly (readonly [from: string, body: string])[]) {
  const items = texts.map(([from, body]) => ({ from, body, received_at: new Date(++clock).toISOString() }))
  const { status, body } = await phone.call('POST', '/api/devices/incoming', { items })
  if (status !== 200) throw new Error(JSON.stringify(body))
}

async function signIn(guest: Client, url: string, collection: string, identity: string, password: string) {
  const path = `/api/collections/${collection}/auth-with-password`
  const { body } = await guest.call('POST', path, { identity, password })
  return client(url, body.record.id, body.token)
}

/** Whoever has this token. */
export const client = (url: string, id: string, token: string): Client => ({
  id,
  token,
  async call(method, path, body) {
    const response = await fetch(url + path, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: token }) },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    return { status: response.status, body: isJson && text !== '' ? JSON.parse(text) : text }
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
  let text = ''
  let isOver = false
  const read = async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      const parts = text.split('\n\n')
      text = parts.pop()!
      for (const part of parts) {
        const [, name = ''] = /^event: (.*)$/m.exec(part) ?? []
        const [, data = ''] = /^data: (.*)$/m.exec(part) ?? []
        if (name) heard.push({ name, data, at: performance.now() })
      }
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
