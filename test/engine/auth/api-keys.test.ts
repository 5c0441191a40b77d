import { identifyKey } from '../../../src/engine/auth/identify-key.ts'
import { createRecord, updateRecord } from '../../../src/engine/records/create-or-update.ts'
import { makeServerRequest, type RequestInfo } from '../../../src/engine/request/request.ts'
import { apiKeysExtension } from '../../../src/gateway/accounts/api-keys.ts'
import { startServerWithMail } from '../../support/server/server-with-mail.ts'

const EXTENSIONS = new Map([['api_keys', apiKeysExtension]])
const IP = '192.0.2.1'

const server = await startServerWithMail()
const user = await server.addUser('owner@example.com')

const store = () => server.server.services.store
const asSuperuser = (body: object): RequestInfo => makeServerRequest(store(), { ...body })
async function create(body: object): Promise<Record<string, string>> {
  const keys = store().catalog.find('api_keys')!
  const text = await createRecord(
    store(),
    EXTENSIONS,
    keys,
    asSuperuser({ user, name: 'a key', ...body }),
  )
  return JSON.parse(text)
}
const row = async (id: string) => {
  const { rows } = await store().db.query(
    'select hash, prefix, last_used_at from api_keys where id = $1',
    [id],
  )
  const [hash, prefix, lastUsed] = rows[0]!.map(String)
  return { hash, prefix, lastUsed }
}

test('a key identifies its user; its row has only its hash and first characters', async () => {
  const { key, id, prefix } = await create({})
  expect(key).toMatch(/^psk_[A-Za-z0-9]{64}$/)
  expect(prefix).toBe(key!.slice(0, 10))
  expect(JSON.stringify(await row(id!))).not.toContain(key!.slice(10))
  expect((await identifyKey(store(), { key: key!, ip: IP }))?.auth.id).toBe(user)
})

test('hash, prefix and last_used_at of a key cannot be set by requests', async () => {
  const made = await create({
    hash: 'mine',
    prefix: 'mine',
    last_used_at: '2030-01-01 00:00:00.000Z',
  })
  const before = await row(made.id!)
  expect([before.lastUsed, before.prefix]).toEqual(['', made.key!.slice(0, 10)])
  const keys = store().catalog.find('api_keys')!
  const body = {
    hash: 'mine',
    prefix: 'mine',
    last_used_at: '2030-01-01 00:00:00.000Z',
    name: 'renamed',
  }
  await updateRecord(store(), EXTENSIONS, keys, made.id!, asSuperuser(body))
  expect(await row(made.id!)).toEqual(before)
})

test.each([
  ['in the past is refused', -1000, false],
  ['in the future is accepted', 60_000, true],
])('a key whose expiry is %s', async (_, ms, isGood) => {
  const { key } = await create({ expires_at: new Date(Date.now() + ms).toISOString() })
  expect((await identifyKey(store(), { key: key!, ip: IP })) !== null).toBe(isGood)
})

test('use of a key is recorded soon after, at most once a minute', async () => {
  const use = async (it: Record<string, string>) => {
    await identifyKey(store(), { key: it.key!, ip: IP })
    await expect.poll(async () => (await row(it.id!)).lastUsed).not.toBe('')
    return (await row(it.id!)).lastUsed
  }
  const made = await create({})
  const first = await use(made)
  await identifyKey(store(), { key: made.key!, ip: IP })
  // noted after it
  await use(await create({}))
  expect((await row(made.id!)).lastUsed).toBe(first)
})

test('a Vendel key works if its hash is stored', async () => {
  const { id } = await create({})
  const key = `vk_${'a1B2'.repeat(8)}`
  await store().db.query(
    `update api_keys set hash = encode(sha256($2::bytea), 'hex') where id = $1`,
    [id, key],
  )
  expect((await identifyKey(store(), { key, ip: IP }))?.id).toBe(id)
})

test.each(['', 'psk_', 'psk_unknown', 'vk_unknown', 'x'])(
  '%j is not accepted as a key',
  async (key) => {
    expect(await identifyKey(store(), { key, ip: IP })).toBeNull()
  },
)

test('a cached key stops working when it is deleted, expires or loses its user', async () => {
  const other = await server.addUser('other@example.com')
  const [deleted, orphan] = [await create({}), await create({ user: other })]
  for (const { key } of [deleted, orphan])
    expect(await identifyKey(store(), { key: key!, ip: IP })).not.toBeNull()
  await store().db.query('delete from api_keys where id = $1', [deleted.id])
  await store().db.query('delete from users where id = $1', [other])
  for (const { key } of [deleted, orphan])
    expect(await identifyKey(store(), { key: key!, ip: IP })).toBeNull()
})
