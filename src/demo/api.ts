export interface Api {
  readonly url: string
  readonly credentials: Readonly<Record<string, string>>
}

/** One request, as any HTTP client makes it. Throws an Error with the server's sentence. */
export async function request<T>(api: Api, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(api.url + path, {
    method,
    headers: { 'content-type': 'application/json', ...api.credentials },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = await response.json()
  if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
  return answer as T
}

export interface Named {
  readonly id: string
}

export async function findFirst<T extends Named>(api: Api, collection: string, filter: string) {
  const query = new URLSearchParams({ filter, perPage: '1', skipTotal: '1' })
  const page = await request<{ items: T[] }>(api, 'GET', `/api/collections/${collection}/records?${query}`)
  return page.items[0]
}

/** Creates the record, or updates the one that `filter` matches. Returns its id. */
export async function ensure(api: Api, collection: string, filter: string, values: object): Promise<string> {
  const path = `/api/collections/${collection}/records`
  const found = await findFirst(api, collection, filter)
  const record = found
    ? await request<Named>(api, 'PATCH', `${path}/${found.id}`, values)
    : await request<Named>(api, 'POST', path, values)
  return record.id
}

export async function signIn(url: string, collection: string, identity: string, password: string) {
  const path = `/api/collections/${collection}/auth-with-password`
  const guest: Api = { url, credentials: {} }
  const body = { identity, password }
  const { token, record } = await request<{ token: string; record: Named }>(guest, 'POST', path, body)
  return { api: { url, credentials: { authorization: token } } satisfies Api, id: record.id }
}
