import { type Answer, basic, request } from '../server/request.ts'
import { ANN, BEN, CLEO, type ServerWithUsers, startServerWithUsers } from '../server/server-with-users.ts'

/** Where the API is on a server of one's own. */
export const API = '/api/3rdparty/v1'

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
  ): Promise<Answer>
}

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

export async function startSmsgateClientFixture(
  env: Record<string, string> = {},
): Promise<SmsgateClientFixture> {
  const server = await startServerWithUsers(env)
  const makeKey: SmsgateClientFixture['makeKey'] = async (scopes = ['all:any'], { id } = ANN) => {
    const values = { user: id, name: 'SMSGate clients', scopes }
    const path = '/api/collections/api_keys/records'
    const made = await server.ask('POST', path, values, await server.signedIn('users', id))
    if (made.status !== 200) throw new Error(made.text)
    return made.body.key
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
    ask: (method, path, body, headers = ann!, prefix = API) =>
      request(server.url + prefix, method, path, body, headers),
  }
}
