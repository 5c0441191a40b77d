import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { verifyPassword } from '../../../src/engine/fields/bcrypt.ts'
import { importFiles } from '../../../src/engine/import/import-fixtures.ts'
import { collectExtensions } from '../../../src/main/features.ts'
import { UserError } from '../../../src/platform/api-errors.ts'
import { showProgress } from '../../../src/platform/tools/progress.ts'
import { collectionStore, rowsOf } from '../../support/collection-store.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'

const folder = temporaryFolder()

const store = await collectionStore()

const AT = { created: '2024-03-04 10:17:52.122Z', updated: '2024-03-06 10:17:52.122Z' }
const SCHEMA = [
  {
    id: 'albums',
    name: 'albums',
    fields: [
      { name: 'title', type: 'text', required: true },
      { name: 'year', type: 'number' },
      { name: 'tags', type: 'select', values: ['a', 'b'], maxSelect: 2 },
      { name: 'next', type: 'relation', collectionId: 'albums' },
      { name: 'meta', type: 'json' },
      { name: 'place', type: 'geoPoint' },
      { name: 'day', type: 'date' },
      { name: 'created', type: 'autodate', onCreate: true },
    ],
    indexes: ['CREATE UNIQUE INDEX idx_albums_title ON albums (title)'],
  },
]
const album = (n: number, more: object = {}) => ({
  id: `album${String(n).padStart(10, '0')}`,
  title: `Album ${n}`,
  ...more,
})
const user = {
  id: 'useruseruser001',
  email: 'ann@example.com',
  password: 'annspassword',
  verified: true,
  ...AT,
}

function file(name: string, content: unknown): string {
  const path = join(folder, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}
const bring = (schema: unknown, fixtures: unknown) =>
  importFiles(
    store,
    collectExtensions({ webhookAllowPrivate: false }),
    {
      schema: schema === undefined ? undefined : file('schema.json', schema),
      fixtures: fixtures === undefined ? undefined : file('fixtures.json', fixtures),
    },
    () => {},
  )

test('records are imported unchanged and in order, even with references to later ones', async () => {
  const first = album(2, {
    year: 1.5,
    tags: ['b', 'a'],
    next: album(1).id,
    meta: { b: 1, a: [null] },
    place: { lon: 1, lat: 2 },
    day: '2024-01-02 03:04:05.678Z',
    created: AT.created,
  })
  const summary = await bring(SCHEMA, { users: [user], albums: [first, album(1)] })
  expect(summary).toBe('Imported 1 collections and 3 records.')
  const columns = ['title', 'year', 'tags', 'next', 'meta', 'place', 'day', 'created']
  expect((await rowsOf(store, 'albums', ...columns))[0]).toEqual([
    'Album 2',
    1.5,
    ['b', 'a'],
    album(1).id,
    '{"a":[null],"b":1}',
    '{"lon":1,"lat":2}',
    '2024-01-02 03:04:05.678Z',
    AT.created,
  ])
  expect((await rowsOf(store, 'albums', 'title')).flat()).toEqual(['Album 2', 'Album 1'])
})

test('imported passwords are hashed, token keys generated and dates kept', async () => {
  const [row] = await rowsOf(
    store,
    'users',
    'password',
    'tokenKey',
    'created',
    'updated',
    'verified',
  )
  const [hash, tokenKey, ...rest] = row!
  expect(await verifyPassword(user.password, String(hash))).toBe(true)
  expect(tokenKey).toMatch(/^[a-zA-Z0-9]{50}$/)
  expect(rest).toEqual([AT.created, AT.updated, true])
})

test('a repeated import gives the same records and keeps token keys', async () => {
  const keys = await rowsOf(store, 'users', 'tokenKey')
  await bring(SCHEMA, { users: [user], albums: [album(2), album(1)] })
  expect(await rowsOf(store, 'users', 'tokenKey')).toEqual(keys)
  expect((await rowsOf(store, 'albums', 'title')).flat()).toEqual(['Album 2', 'Album 1'])
})

test('an imported schema change alters the table and keeps its rows', async () => {
  const fields = [...SCHEMA[0]!.fields, { name: 'label', type: 'text' }]
  await bring([{ ...SCHEMA[0], fields }], undefined)
  expect(await rowsOf(store, 'albums', 'title', 'label')).toEqual([
    ['Album 2', ''],
    ['Album 1', ''],
  ])
})

test('NUL and lone surrogates are removed from imported texts', async () => {
  await bring(undefined, { albums: [album(1, { title: 'a\0b\ud800', meta: { k: 'x\0' } })] })
  expect(await rowsOf(store, 'albums', 'title')).toContainEqual([expect.not.stringMatching(/\0/)])
})

test.each([
  ['no JSON', '{', /fixtures\.json is not JSON/],
  ['a list', [], /fixtures\.json: an object of collections expected/],
  [
    'a fault in the last record',
    `{"albums":[${JSON.stringify(album(7))},{]}`,
    /fixtures\.json is not JSON/,
  ],
  ['more after the end', '{"albums":[]} {}', /fixtures\.json is not JSON/],
  ['an unknown collection', { nope: [] }, /there is no collection nope/],
  ['no records', { albums: {} }, /collection albums: a list of records expected/],
  ['no id', { albums: [{ title: 'x' }] }, /collection albums, record #1, field id: it is missing/],
  [
    'an id twice',
    { albums: [album(7), album(7)] },
    /record album0000000007, field id: the id stands twice/,
  ],
  ['a wrong id', { albums: [album(7, { id: 'A B' })] }, /record A B, field id/],
  [
    'an unknown field',
    { albums: [album(7, { nope: 1 })] },
    /field nope: the collection has no such field/,
  ],
  ['null for a number', { albums: [album(7, { year: null })] }, /field year: Must be a number/],
  ['text for a number', { albums: [album(7, { year: 'x' })] }, /field year: Must be a number/],
  ['an unknown option', { albums: [album(7, { tags: ['zzz'] })] }, /field tags: /],
  ['a wrong date', { albums: [album(7, { day: 'soon' })] }, /field day: Must be a date like/],
  [
    'a missing required value',
    { albums: [album(7, { title: '' })] },
    /field title: Cannot be blank/,
  ],
  [
    'a relation to a missing record',
    { albums: [album(7, { next: 'nobody' })] },
    /field next: albums has no record nobody/,
  ],
  [
    'an equal title',
    { albums: [album(7), album(8, { title: 'Album 7' })] },
    /record album0000000008, field title: another record/,
  ],
  [
    'an address that cannot be called',
    {
      webhooks: [
        {
          id: 'webhook00000001',
          user: user.id,
          url: 'ftp://example.com',
          events: ['message.sent'],
        },
      ],
    },
    /record webhook00000001: url: Must begin with https/,
  ],
  [
    'an automatic answer to no words',
    {
      auto_answers: [
        { id: 'autoanswer00001', user: user.id, name: 'Hours', match: 'words', body: 'Nine' },
      ],
    },
    /record autoanswer00001: value: Cannot be blank/,
  ],
  [
    'a short password',
    { users: [{ ...user, id: 'useruseruser009', password: 'x' }] },
    /field password: Must be at least 8/,
  ],
])(
  'fixtures with %s are refused with $2 and nothing is imported',
  async (_, fixtures, sentence) => {
    const before = await rowsOf(store, 'albums', 'id', 'title')
    const error = await bring(undefined, fixtures).catch((e: unknown) => e)
    expect(error).toBeInstanceOf(UserError)
    expect((error as Error).message).toMatch(sentence)
    expect(await rowsOf(store, 'albums', 'id', 'title')).toEqual(before)
  },
)

test.each([
  ['no list', { a: 1 }, /a list of collections expected/],
  [
    'an unknown field type',
    [{ name: 'x', fields: [{ name: 'a', type: 'nope' }] }],
    /schema\.json: .*"x".*unknown field type/,
  ],
  [
    'a rule about an unknown field',
    [{ name: 'x', listRule: 'nope = 1' }],
    /collection x: listRule: Invalid rule.*nope/,
  ],
  [
    'an index on an unknown field',
    [{ name: 'x', indexes: ['CREATE INDEX q ON x (nope)'] }],
    /collection x: indexes\.0: Failed to create index q/,
  ],
])('a schema with %s is refused with $2', async (_, schema, sentence) => {
  await expect(bring(schema, { albums: [album(1, { title: 'changed' })] })).rejects.toThrow(
    sentence,
  )
  expect(store.catalog.find('x')).toBeUndefined()
})

test('a missing file is named in the error', async () => {
  await expect(
    importFiles(store, new Map(), { fixtures: '/nowhere/f.json' }, () => {}),
  ).rejects.toThrow('/nowhere/f.json cannot be read')
})

test('more records than one batch holds are imported and updated', async () => {
  const many = Array.from({ length: 4_500 }, (_, i) => album(100 + i))
  await bring(undefined, { albums: many })
  const [last] = (await rowsOf(store, 'albums', 'title')).slice(-1)
  expect(last).toEqual([many.at(-1)!.title])
  const swapped = many.map((one, i) => ({ ...one, title: many.at(-1 - i)!.title }))
  expect(await bring(undefined, { albums: swapped })).toBe(
    'Imported 0 collections and 4500 records.',
  )
})

test.each([
  ['a terminal as one rewritten line', true, '\r\x1b[Kusers 2/2\n'],
  ['a file: a line at the end', false, 'users 2/2\n'],
])('progress is written to %s', (_, isTTY, expected) => {
  let written = ''
  const told = showProgress({ isTTY, write: (text) => (written += text) })
  told('users', 1, 2)
  told('users', 2, 2)
  expect(written).toBe(expected)
})
