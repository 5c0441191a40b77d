import { basic, request } from '../server/request.ts'
import { ANN, BEN, CLEO, startServerWithUsers } from '../server/server-with-users.ts'

/** Where the API is on a server of one's own. */
export const API = '/api/3rdparty/v1'

export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** A server and callers of SMSGate's client API. */
export async function startSmsgateApiFixture(env: Record<string, string> = {}) {
  const server = await startServerWithUsers(env)
  /** A new API key of somebody with these scopes. */
  const makeKey = async (
    scopes: readonly string[] = ['all:any'],
    { id }: { id: string } = ANN,
  ): Promise<string> => {
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
    /** Headers of Ann, Ben and Cleo with a key that opens everything. */
    ann: ann!,
    ben: ben!,
    cleo: cleo!,
    /** A request below the API's prefix, as Ann unless `headers` say otherwise; a text is sent as it is. */
    ask: (
      method: string,
      path: string,
      body?: unknown,
      headers: Record<string, string> = ann!,
      prefix = API,
    ) => request(server.url + prefix, method, path, body, headers),
  }
}
