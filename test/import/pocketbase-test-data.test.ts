import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rowsOf } from '../support/collection-store.ts'
import { start, type TestServer } from '../support/database/open.ts'
import { temporaryFolder } from '../support/database/temporary-folder.ts'
import { testConfig } from '../support/server/start.ts'
import { bringSource, contentsOf, pocketBaseTestData } from './pocketbase-data.ts'

const data = pocketBaseTestData()
const folder = temporaryFolder()
const source = join(folder, 'data')
type Row = Readonly<Record<string, string>>

/**
 * PocketBase's own test data: old, edited by many hands, with every type of field. Only where its Go module
 * is.
 */
describe.skipIf(!data)("PocketBase's test data", () => {
  let server: TestServer
  let summary: string[]
  let db: DatabaseSync

  beforeAll(async () => {
    server = await start(await testConfig())
    cpSync(data!, source, { recursive: true })
    const before = contentsOf(source)
    summary = await bringSource(server.services.store, source)
    expect(contentsOf(source)).toEqual(before)
    db = new DatabaseSync(join(source, 'data.db'))
  })
  afterAll(async () => {
    db.close()
    await server.stop()
  })

  const all = (sql: string, ...values: string[]) => db.prepare(sql).all(...values) as unknown as Row[]
  const post = async (path: string, body: object, token = '') => {
    const response = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: token }) },
      body: JSON.stringify(body),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

  test('what is left out', () => {
    expect(summary[0]).toMatch(/^Imported 13 collections, 3 views, 3\d records and 15 files\.$/)
    expect(summary.slice(1)).toEqual([
      expect.stringContaining('- users: its create and update rules got'),
      '- logs: left behind, requests are logged on standard output here.',
    ])
  })

  test('every collection has the same records', async () => {
    for (const { name } of all('select name from _collections')) {
      const ids = all(`select id from "${name}" order by cast(id as text)`).map(({ id }) => String(id))
      const there = (await rowsOf(server.services.store, name!, 'id')).map(([id]) => String(id))
      expect({ [name!]: there.sort() }).toEqual({ [name!]: ids })
    }
  })

  test.each([
    ['clients', 200, 'record'],
    ['_superusers', 200, 'record'],
    ['users', 401, 'mfaId'], // asks for a second factor, as there
    ['nologin', 403, 'message'], // may not sign in with a password
  ])('%s sign in with their passwords', async (collection, status, key) => {
    const credentials = { identity: 'test@example.com', password: '1234567890' }
    const answer = await post(`/api/collections/${collection}/auth-with-password`, credentials)
    expect(answer.status).toBe(status)
    expect(answer.body).toHaveProperty(key)
  })

  test.each(['users', 'clients', '_superusers'])(
    'a token that was issued to one of %s is good',
    async (name) => {
      const [collection] = all('select id, options from _collections where name = ?', name)
      const [user] = all(`select id, tokenKey from "${name}" where email = 'test@example.com'`)
      const { secret } = (JSON.parse(collection!.options!) as { authToken: { secret: string } }).authToken
      const claims = { collectionId: collection!.id, id: user!.id, refreshable: true, type: 'auth' }
      const token = await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setExpirationTime('1h')
        .sign(new TextEncoder().encode(user!.tokenKey! + secret))
      const answer = await post(`/api/collections/${name}/auth-refresh`, {}, token)
      expect(answer).toMatchObject({
        status: 200,
        body: { record: { id: user!.id, email: 'test@example.com' } },
      })
      const forged = await post(`/api/collections/${name}/auth-refresh`, {}, `${token.slice(0, -3)}abc`)
      expect(forged.status).toBe(401)
    },
  )
})
