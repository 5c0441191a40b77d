import { ANN, BEN, CLEO, type ServerWithUsers, startServerWithUsers } from '../server/server-with-users.ts'

/** Where the API is on a server of one's own. */
export const API = '/api/3rdparty/v1'

/** An answer: status, headers, and the body as JSON; '' for an empty one. */
export interface ClientAnswer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all shapes
  readonly body: any
}

/** A server and callers of SMSGate's client API. */
export interface SmsgateClientFixture {
  readonly server: ServerWithUsers
  /** A new API key of somebody with these scopes. */
  makeKey(scopes?: readonly string[], owner?: { readonly id: string }): Promise<string>
  /** Headers of Ann, Ben and Cleo with a key that opens everything. */
  readonly ann: Record<string, string>
  readonly ben: Record<string, string>
  readonly cleo: Record<string, string>
  /** A request below the API's prefix, as Ann unless `headers` say otherwise; a text is sent as it is. */
  ask(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
    prefix?: string,
  ): Promise<ClientAnswer>
  stop(): Promise<void>
}

export const basic = (user: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export async function startSmsgateClientFixture(
  env: Record<string, string> = {},
): Promise<SmsgateClientFixture> {
  const server = await startServerWithUsers(env)
  const makeKey: SmsgateClientFixture['makeKey'] = async (scopes = ['all:any'], { id } = ANN) => {
    const response = await fetch(`${server.url}/api/collections/api_keys/records`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(await server.signedIn('users', id)) },
      body: JSON.stringify({ user: id, name: 'SMSGate clients', scopes }),
    })
    const made = (await response.json()) as { key: string }
    if (response.status !== 200) throw new Error(JSON.stringify(made))
    return made.key
  }
  const [ann, ben, cleo] = await Promise.all(
    [ANN, BEN, CLEO].map(async (person) => basic(person.email, await makeKey(['all:any'], person))),
  )
  return {
    server,
    makeKey,
    ann: ann!,
    ben: ben!,
    cleo: cleo!,
    async ask(method, path, body, headers = ann!, prefix = API) {
      const response = await fetch(`${server.url}${prefix}${path}`, {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        redirect: 'manual',
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, body: text && JSON.parse(text) }
    },
    stop: () => server.stop(),
  }
}
