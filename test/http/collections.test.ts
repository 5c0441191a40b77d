import PocketBase from 'pocketbase'
import { expect, test } from 'vitest'
import { SUPERUSER, startServer } from '../support/server/start.ts'
import { stopAfterAll } from '../support/stop-after-all.ts'

const server = stopAfterAll(await startServer())
const pb = new PocketBase(server.url)
pb.autoCancellation(false)
await pb.collection('_superusers').authWithPassword(SUPERUSER.email, SUPERUSER.password)

interface Refused {
  readonly status: number
  readonly response: { readonly message: string; readonly data: Record<string, unknown> }
}
const refused = async (work: Promise<unknown>): Promise<Refused> => {
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  )
  return error as Refused
}

test('guests are told to sign in before a dry run', async () => {
  const answer = await fetch(`${server.url}/api/collections/meta/dry-run-view`, { method: 'POST' })
  expect(answer.status).toBe(401)
})

test('a list without a sort is in the order of creation', async () => {
  const { items } = await pb.send('/api/collections', { query: { perPage: 2 } })
  expect(items.map(({ name }: { name: string }) => name)).toEqual(['_mfas', '_otps'])
})

test.each([
  ['a modifier', { filter: 'name:lower = "users"' }],
  ['a modifier in the sort', { sort: 'type,-name:lower' }],
])('list by %s is a 400', async (_, query) => {
  expect(await refused(pb.send('/api/collections', { query }))).toMatchObject({ status: 400 })
})

const field = (more: object) => ({ fields: [{ name: 'a', type: 'text', ...more }] })
test.each<[string, object, Record<string, string>]>([
  ['name', { name: '_params' }, { name: 'validation_collection_name_invalid' }],
  ['name', { name: '_pb_users_auth_' }, { name: 'validation_collection_name_id_duplicate' }],
  [
    'type, with fields of its own',
    { type: 'nope', fields: [{ name: 'a', type: 'text' }] },
    { type: 'validation_in_invalid', fields: 'validation_missing_primary_key' },
  ],
  [
    'type, without any field',
    { type: 'nope', fields: [] },
    { type: 'validation_in_invalid', fields: 'validation_required' },
  ],
  ['field name', field({ name: 'a_via_b' }), { 'fields.1.name': 'validation_found_via' }],
  ['text', field({ pattern: '\\PC{0,1000}'.repeat(17) }), { 'fields.1.pattern': 'validation_invalid_regex' }],
  [
    'text',
    field({ autogeneratePattern: '[a-z]{3}', min: 5 }),
    { 'fields.1.autogeneratePattern': 'validation_invalid_autogenerate_pattern_value' },
  ],
  [
    'email',
    field({ type: 'email', onlyDomains: ['no domain'] }),
    { 'fields.1.onlyDomains.0': 'validation_is_domain' },
  ],
  [
    'file',
    field({ type: 'file', thumbs: ['1x1', 'big'] }),
    { 'fields.1.thumbs.1': 'validation_match_invalid' },
  ],
  [
    'index',
    { indexes: ['CREATE INDEX idx_devices_user ON x (id)'] },
    { 'indexes.0': 'validation_existing_index_name' },
  ],
  ['auth', { type: 'auth', mfa: { enabled: true } }, { 'mfa.enabled': 'validation_mfa_not_enough_auths' }],
  [
    'auth',
    { type: 'auth', passwordAuth: { identityFields: [''] } },
    { 'passwordAuth.identityFields': 'validation_required' },
  ],
])('create: %s %j', async (_, raw, expected) => {
  const name = 'fresh'
  const { response } = await refused(pb.collections.create({ name, ...raw }))
  expect(response.message).toBe('Failed to create collection.')
  expect(codes(response.data)).toEqual(expected)
})

/** Codes by the path of their key. */
function codes(data: Record<string, unknown>, path = ''): Record<string, unknown> {
  return Object.assign(
    {},
    ...Object.entries(data).map(([key, error]) => {
      const { code } = error as { code?: unknown }
      return typeof code === 'string' ? { [path + key]: code } : codes(error as never, `${path}${key}.`)
    }),
  )
}

test('a name that is a number is refused', async () => {
  expect((await refused(create({ name: 5 }))).response).toMatchObject({
    message: 'Failed to load the collection type data due to invalid formatting.',
    data: {},
  })
})

const RESERVED = 'SQL logic error: object name reserved for internal use'
const onFresh = (index: string) => ({ name: 'fresh', indexes: [index] })

test.each<[string, object, string, string?]>([
  [
    'view',
    { name: 'sqlite_b', type: 'view', viewQuery: 'select id from users' },
    `Failed to create collection. Raw error: \n${RESERVED}: sqlite_b (1).`,
  ],
  [
    'index',
    onFresh('CREATE INDEX sqlite_c ON fresh (id)'),
    'Failed to create collection.',
    `Failed to create index sqlite_c - ${RESERVED}: sqlite_c (1).`,
  ],
  [
    'index in another schema',
    onFresh('CREATE INDEX `other`.`i` ON fresh (id)'),
    'Failed to create collection.',
    'Failed to create index i - SQL logic error: unknown database `other` (1).',
  ],
])('what SQLite has no room for: %s', async (_, raw, message, ofIndex) => {
  const { response } = await refused(pb.collections.create(raw))
  expect(response.message).toBe(message)
  const { indexes } = response.data as { indexes?: Record<number, { message: string }> }
  expect(indexes?.[0]?.message).toBe(ofIndex)
})

test.each([
  ['the name that it had', 'named_before', 200],
  ['the name that it gets', 'named_after', 200],
  ['a name that nobody has', 'named_never', 400],
])('a rule of a collection that is renamed may speak of %s', async (_, name, status) => {
  const { id } = await pb.collections.create({ name: 'named_before' })
  const change = { name: 'named_after', listRule: `@collection.${name}.id ?= id` }
  const answer = await pb.collections.update(id, change).then(
    () => 200,
    (error: { status: number }) => error.status,
  )
  expect(answer).toBe(status)
  await pb.collections.delete(id)
})

await pb.collections.create({ name: 'titled', fields: [{ name: 'name', type: 'text' }] })
const RAW = 'Failed to import the collections configuration. Raw error:\n'

test.each<[string, object[], string]>([
  [
    'what is wrong, as it was before it became a sentence',
    [{ name: 'a b', listRule: 'x = 1' }],
    `Data validations failed for collection "a b" (pbc_2404009634):
{
  "listRule": "Invalid rule. Raw error: invalid left operand \\"x\\" - unknown field \\"x\\"",
  "name": "must be in a valid format"
}.`,
  ],
  [
    'an unknown type of field',
    [{ name: 'fresh', fields: [{ type: 'nope', name: 'a' }] }],
    `${RAW}missing or unknown field type in {"name":"a","type":"nope"}.`,
  ],
  [
    'one name twice',
    [{ name: 'fresh' }, { name: 'FRESH' }],
    `${RAW}failed to save collection "FRESH": SQL logic error: table \`FRESH\` already exists (1).`,
  ],
  [
    'the name of another collection with another id',
    [{ id: 'fresh', name: 'contacts' }],
    `${RAW}failed to save collection "contacts": constraint failed: UNIQUE constraint failed: _collections.name (2067).`,
  ],
  [
    'the name of another collection',
    [{ id: '_pb_users_auth_', name: 'contacts' }],
    `${RAW}failed to save collection "contacts": constraint failed: UNIQUE constraint failed: _collections.name (2067).`,
  ],
  [
    'fields whose names are columns of one name',
    [{ name: 'fresh', fields: ['a', 'A'].map((name) => ({ name, type: 'text' })) }],
    `${RAW}failed to save collection "fresh": SQL logic error: duplicate column name: a (1).`,
  ],
  [
    'a field with the name of another one',
    [{ name: 'titled', fields: [{ name: 'name', type: 'number' }] }],
    `${RAW}failed to save collection "titled": SQL logic error: error in table titled after rename: duplicate column name: name (1).`,
  ],
])('import: %s', async (_, collections, message) => {
  const { response } = await refused(pb.collections.import(collections as never))
  expect(response).toMatchObject({
    message: 'Failed to import collections.',
    data: { collections: { message } },
  })
})

test('keys of the form of an import match in any case', async () => {
  const body = { COLLECTIONS: [{ name: 'a b' }] }
  const { response } = await refused(pb.send('/api/collections/import', { method: 'PUT', body }))
  expect(response.message).toBe('Failed to import collections.')
})

test('import gives a collection another name, by its id', async () => {
  const { id } = await pb.collections.create({ name: 'before', fields: [{ name: 'a', type: 'text' }] })
  await pb.collection('before').create({ a: 'kept' })
  await pb.collections.import([{ id, name: 'after', fields: [] }] as never)
  expect(await pb.collection('after').getFullList()).toMatchObject([{ a: 'kept' }])
  await pb.collections.delete('after')
})

test('how superusers sign in is not for anybody to change', async () => {
  const { oauth2, passwordAuth, otp, mfa } = await pb.collections.getOne('_superusers')
  const asked = {
    passwordAuth: { enabled: false },
    oauth2: { enabled: true, providers: [{ name: 'google', clientId: 'a', clientSecret: 'b' }] },
    otp: { enabled: true },
  }
  const changed = await pb.collections.update('_superusers', asked)
  expect(changed).toMatchObject({
    passwordAuth: { enabled: true },
    oauth2: { enabled: false, providers: [] },
    mfa: { enabled: true },
  })
  await pb.collections.update('_superusers', { oauth2, passwordAuth, otp, mfa })
})

test('a unique index on an expression names no field', async () => {
  const indexes = ['CREATE UNIQUE INDEX idx_lower ON lowered (lower(a))']
  await pb.collections.create({ name: 'lowered', fields: [{ name: 'a', type: 'text' }], indexes })
  await pb.collection('lowered').create({ a: 'x' })
  const { status, response } = await refused(pb.collection('lowered').create({ a: 'X' }))
  expect([status, response.data]).toEqual([400, {}])
  await pb.collections.delete('lowered')
})

test('a type that is empty is base', async () => {
  await pb.collections.create({ name: 'typed' })
  expect(await pb.collections.update('typed', { type: '' })).toMatchObject({ type: 'base' })
  await pb.collections.delete('typed')
})

test('import with deleteMissing never takes what the gateway needs', async () => {
  const { response } = await refused(pb.collections.import([{ name: 'only' }] as never, true))
  expect(JSON.stringify(response.data)).toContain('pocketsms needs')
  expect(await pb.collections.getOne('sms_messages')).toMatchObject({ name: 'sms_messages' })
})

test('truncate empties a collection and what goes with it', async () => {
  const { id } = await pb.collections.create({ name: 'parents' })
  const parent = { name: 'parent', type: 'relation', collectionId: id, cascadeDelete: true }
  await pb.collections.create({ name: 'children', fields: [parent] })
  const record = await pb.collection('parents').create({})
  await pb.collection('children').create({ parent: record.id })
  await pb.collections.truncate('parents')
  expect(await pb.collection('children').getFullList()).toEqual([])
  await pb.collections.delete('children')
  await pb.collections.delete('parents')
})

test('dry run: fields and a sample, and no view is left', async () => {
  const answer = await pb.send('/api/collections/meta/dry-run-view', {
    method: 'POST',
    body: { query: 'select id, email from _superusers' },
  })
  expect(answer.fields.map(({ name }: { name: string }) => name)).toEqual(['id', 'email'])
  expect(answer.sample).toMatchObject([{ email: SUPERUSER.email }])
  const { items } = await pb.send('/api/collections', { query: { filter: 'type = "view"' } })
  expect(items).toEqual([])
})

test('dry run: what is hidden is not in the sample', async () => {
  const answer = await pb.send('/api/collections/meta/dry-run-view', {
    method: 'POST',
    body: { query: 'select id, email, tokenKey from _superusers' },
  })
  expect(answer.fields.at(-1)).toMatchObject({ name: 'tokenKey', hidden: true })
  expect(answer.sample[0]).not.toHaveProperty('tokenKey')
})

test('rate limits follow a collection to its new name', async () => {
  await pb.collections.create({ name: 'limited' })
  const rule = { label: 'limited:create', audience: '', duration: 10, maxRequests: 5 }
  await pb.settings.update({ rateLimits: { rules: [rule] } })
  await pb.collections.update('limited', { name: 'renamed' })
  expect((await pb.settings.getAll()).rateLimits.rules).toMatchObject([{ label: 'renamed:create' }])
  await pb.collections.delete('renamed')
})

const create = (body: object) => pb.send('/api/collections', { method: 'POST', body })

test.each([
  ['a rule', 'base', { authRule: 1 }],
  ['options', 'view', { otp: 'x' }],
  ['a query', 'auth', { viewQuery: {} }],
])('%s of another type is ignored, but not of any form', async (_, type, body) => {
  const { response } = await refused(create({ name: 'foreign', type, ...body }))
  expect(response.message).toBe('Failed to load the submitted data due to invalid formatting.')
})

test('the indexes of a new auth collection are named by the id that it would have had', async () => {
  const made = await create({ id: 'chosen_by_hand', name: 'keepers', type: 'auth' })
  expect(made.indexes[0]).toMatch(/^CREATE UNIQUE INDEX `idx_tokenKey_pbc_\d+` ON/)
  const again = await refused(create({ id: 'chosen_by_hand', name: 'Keepers', type: 'auth' }))
  expect(again.response.data).toMatchObject({
    id: { code: 'validation_invalid_or_existing_id' },
    name: { code: 'validation_collection_name_exists' },
  })
  await pb.collections.delete('keepers')
})

test.each(['import', 'meta/dry-run-view'])(
  '%s: a type of content that is none is told as such',
  async (path) => {
    const answer = await fetch(`${server.url}/api/collections/${path}`, {
      method: path === 'import' ? 'PUT' : 'POST',
      headers: { authorization: pb.authStore.token, 'content-type': 'text/plain' },
      body: 'x',
    })
    expect(await answer.json()).toMatchObject({ status: 400, message: 'Unsupported Content-Type.' })
  },
)

test.each([
  ['of another collection', 'contacts', 400, { id: { code: 'validation_values_mismatch' } }],
  ['of none', 'nope', 404, {}],
])('an id stays: one %s is refused', async (_, id, status, data) => {
  const { response } = await refused(pb.send('/api/collections/users', { method: 'PATCH', body: { id } }))
  expect(response).toMatchObject({ status, data })
})
