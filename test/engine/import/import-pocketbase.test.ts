import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { AuthCollection } from '../../../src/engine/collections/collection.ts'
import { hashPassword, verifyPassword } from '../../../src/engine/fields/bcrypt.ts'
import { SettingsStore } from '../../../src/engine/settings/settings-store.ts'
import { UserError } from '../../../src/platform/api-errors.ts'
import { collectionStore, rowsOf } from '../../support/collection-store.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import {
  bringSource,
  contentsOf,
  ID,
  type SourceCollection,
  USERS,
  writeSource,
} from './pocketbase-data.ts'

const secret = (letter: string, duration: number) => ({ secret: letter.repeat(40), duration })

const NOTES: SourceCollection = {
  id: 'notes0000000001',
  name: 'notes',
  rules: ["@request.auth.id != ''", '', null, 'owner = @request.auth.id', null],
  fields: [
    ID,
    { id: 'f_title', name: 'title', type: 'text', max: 77 },
    { id: 'f_n', name: 'n', type: 'number' },
    { id: 'f_on', name: 'on', type: 'bool' },
    { id: 'f_day', name: 'day', type: 'date' },
    { id: 'f_tags', name: 'tags', type: 'select', maxSelect: 3, values: ['a', 'b', 'c'] },
    { id: 'f_kind', name: 'kind', type: 'select', maxSelect: 1, values: ['x', 'y'] },
    {
      id: 'f_owner',
      name: 'owner',
      type: 'relation',
      collectionId: '_pb_users_auth_',
      maxSelect: 1,
    },
    { id: 'f_files', name: 'files', type: 'file', maxSelect: 9 },
    { id: 'f_data', name: 'data', type: 'json' },
    { id: 'f_place', name: 'place', type: 'geoPoint' },
    { id: 'f_made', name: 'made', type: 'autodate', onCreate: true },
  ],
  indexes: [
    "CREATE UNIQUE INDEX `idx_notes_title` ON `notes` (`title`) WHERE `title` != ''",
    "CREATE UNIQUE INDEX idx_notes_tags ON notes (tags) WHERE tags != '[]'",
    'CREATE INDEX idx_notes_odd ON notes (no_function_of_postgres(n))',
  ],
  rows: [
    {
      id: 'note00000000002',
      title: 'It\'s "two"',
      n: 12.5,
      on: 1,
      day: '2024-03-04 10:17:52.122Z',
      tags: '["c","a"]',
      kind: 'y',
      owner: 'user00000000001',
      files: '["a.txt","b.txt","lost.txt"]',
      data: '{"b": 1.50, "a": [1, null]}',
      place: '{"lon":1.5,"lat":-2}',
      made: '2020-02-29 23:59:59.999Z',
    },
    { id: 'note00000000001', title: '', n: 9007199254740991n, tags: '[]', data: 'null', made: '' },
  ],
}

/** Has an index that is named as one of ours, and a rule that reads a field of users. */
const PEOPLE: SourceCollection = {
  id: 'people000000001',
  name: 'people',
  rules: [
    "@request.auth.nick = 'boss'",
    null,
    null,
    '@request.auth.email = "boss@example.com"',
    null,
  ],
  fields: [ID, { id: 'f_phone', name: 'phone', type: 'text' }],
  indexes: ['CREATE UNIQUE INDEX `idx_contacts_user_phone` ON `people` (`phone`)'],
}

const users = async (): Promise<SourceCollection> => ({
  ...USERS,
  rules: ['id = @request.auth.id', '', '', 'id = @request.auth.id', null],
  fields: [
    ...USERS.fields,
    { id: 'text1579384326', name: 'nick', type: 'text' }, // once called `name`: it kept the id
  ],
  options: {
    authToken: secret('a', 111),
    passwordResetToken: secret('b', 222),
    emailChangeToken: secret('c', 333),
    verificationToken: secret('d', 444),
    fileToken: secret('e', 55),
    passwordAuth: { enabled: true, identityFields: ['email'] },
    oauth2: { enabled: true, providers: [] },
    manageRule: "@request.auth.nick = 'boss'",
  },
  rows: [
    {
      id: 'user00000000001',
      email: 'ann@example.com',
      emailVisibility: 1,
      verified: 1,
      password: await hashPassword('annspassword', 4),
      tokenKey: 'k'.repeat(50),
      nick: 'Ann',
    },
  ],
})

const view = (name: string, viewQuery: string): SourceCollection => ({
  id: `view_${name}`,
  name,
  type: 'view',
  options: { viewQuery },
  rules: ['', null],
})
const VIEWS = [
  view('over_titles', 'select id, title from titles'),
  view('titles', 'select `notes`.id, [title], "n" from notes'),
  view('odd', "select id, json_each.value as v from notes, json_each('[1]')"),
]

const SETTINGS = {
  meta: { appName: 'My notes', appURL: 'https://notes.example.com' },
  smtp: { enabled: true, host: 'mail.example.com', port: 2525, password: 'secret' },
  s3: { enabled: true, bucket: 'b', endpoint: 'https://s3.example.com' },
  batch: { enabled: false },
}
const FILES = [
  'notes0000000001/note00000000002/a.txt',
  'notes0000000001/note00000000002/b.txt',
  'notes0000000001/note00000000002/thumbs_a.png/100x100_a.png',
  'notes0000000001/note00000000002/nobodys.txt',
]

const folder = temporaryFolder()
describe('an imported PocketBase data directory', async () => {
  const store = await collectionStore()
  const source = writeSource(join(folder, 'data'), {
    collections: [await users(), NOTES, PEOPLE, ...VIEWS],
    settings: SETTINGS,
    files: FILES,
  })
  writeFileSync(
    join(source, 'storage', `${FILES[0]}.attrs`),
    '{"user.content_type":"text/x-noted"}',
  )
  const before = contentsOf(source)
  const summary = await bringSource(store, source)
  const notes = store.catalog.find('notes')!
  const imported = store.catalog.find('users') as AuthCollection

  test('an imported PocketBase data directory is summarised with counts and omissions', () => {
    expect(summary[0]).toBe('Imported 3 collections, 2 views, 3 of 3 records and 2 files.')
    expect(summary.slice(1).map((line) => line.replace(/: Failed to create index .*/, ''))).toEqual(
      [
        '- users: its create and update rules got "@request.body.monthly_quota:isset = false", so that nobody lifts the own quota.',
        '- notes: an index was left out (CREATE INDEX idx_notes_odd ON notes (no_function_of_postgres(n)))',
        '- people: its index idx_contacts_user_phone is called idx_contacts_user_phone_people000000001 here, since that name is taken.',
        expect.stringContaining(
          '- odd: the view was left out, its query does not work on Postgres:',
        ),
        '- settings: files in S3 were not copied.',
        '- files: 1 that records name are not in the folder storage.',
        '- files: 1 that no record names were left behind.',
        '- WARNING: users.viewRule is empty: it lets guests read all its records.',
        '- WARNING: users.createRule lets users choose their own "nick", on which these rules decide: users.manageRule, people.listRule.',
        '- WARNING: users.updateRule lets users choose their own "nick", on which these rules decide: users.manageRule, people.listRule.',
      ],
    )
  })

  test('an imported PocketBase data directory is left unchanged on disk', () =>
    expect(contentsOf(source)).toEqual(before))

  test('an imported PocketBase data directory keeps ids, dates, rules, field ids and options of collections', () => {
    const [listRule, viewRule, createRule, updateRule, deleteRule] = NOTES.rules!
    expect(notes).toMatchObject({
      id: NOTES.id,
      type: 'base',
      created: '2024-01-01 01:01:01.111Z',
      updated: '2024-02-02 02:02:02.222Z',
      listRule,
      viewRule,
      createRule,
      updateRule,
      deleteRule,
      indexes: NOTES.indexes!.slice(0, 2),
    })
    expect(notes.fields.map(({ id, name, type }) => ({ id, name, type }))).toEqual(
      NOTES.fields!.map((field) => expect.objectContaining(pick(field, 'id', 'name', 'type'))),
    )
    expect(notes.fields[1]).toMatchObject({ max: 77 })
  })

  test('an imported PocketBase data directory keeps order, ids, dates and typed values of records', async () => {
    const names = notes.fields.map(({ name }) => name)
    expect(await rowsOf(store, 'notes', ...names)).toEqual([
      [
        ...[
          'note00000000002',
          'It\'s "two"',
          12.5,
          true,
          '2024-03-04 10:17:52.122Z',
          ['c', 'a'],
          'y',
        ],
        ...[
          'user00000000001',
          ['a.txt', 'b.txt', 'lost.txt'],
          '{"b":1.50,"a":[1,null]}',
          '{"lon":1.5,"lat":-2}',
        ],
        '2020-02-29 23:59:59.999Z',
      ],
      [
        ...['note00000000001', '', 9007199254740991, false, '', [], '', '', []],
        ...[null, '{"lon":0,"lat":0}', ''],
      ],
    ])
  })

  test('an imported PocketBase data directory has its indexes enforced', async () => {
    const insert = (id: string, title: string, tags: string) =>
      store.db.query('insert into notes (id, title, tags) values ($1, $2, $3)', [id, title, tags])
    await expect(insert('x1', 'It\'s "two"', '{}')).rejects.toThrow(/idx_notes_title/)
    await expect(insert('x2', 'other', '{c,a}')).rejects.toThrow(/idx_notes_tags/)
    await insert('x3', '', '{}')
    await store.db.query("delete from notes where id = 'x3'")
    const twice = "insert into people (id, phone) values ('x1', '1'), ('x2', '1')"
    await expect(store.db.query(twice)).rejects.toThrow(/idx_contacts_user_phone_people/)
  })

  test("an imported PocketBase data directory keeps secrets of auth collections and its users' passwords and token keys", async () => {
    const { authToken, passwordResetToken, emailChangeToken, verificationToken, fileToken } =
      imported
    expect({
      authToken,
      passwordResetToken,
      emailChangeToken,
      verificationToken,
      fileToken,
    }).toEqual(
      pick(
        (await users()).options!,
        ...Object.keys((await users()).options!).filter((key) => /Token/.test(key)),
      ),
    )
    const [row] = await rowsOf(
      store,
      'users',
      'id',
      'email',
      'verified',
      'tokenKey',
      'nick',
      'password',
    )
    expect(row!.slice(0, -1)).toEqual([
      'user00000000001',
      'ann@example.com',
      true,
      'k'.repeat(50),
      'Ann',
    ])
    expect(await verifyPassword('annspassword', String(row!.at(-1)))).toBe(true)
  })

  test('an imported PocketBase data directory merges its users collection with the built-in fields', () => {
    const ids = Object.fromEntries(imported.fields.map(({ id, name }) => [name, id]))
    expect(ids).toMatchObject({
      id: 'f_id',
      password: 'f_pass',
      email: 'f_mail',
      nick: 'text1579384326',
    })
    expect(Object.keys(ids)).toEqual(
      expect.arrayContaining(['name', 'monthly_quota', 'created', 'updated']),
    )
    expect(imported.fields.find(({ name }) => name === 'email')).toMatchObject({ required: false })
    expect(imported).toMatchObject({
      listRule: 'id = @request.auth.id',
      createRule: '@request.body.monthly_quota:isset = false',
      updateRule: '(id = @request.auth.id\n) && @request.body.monthly_quota:isset = false',
    })
  })

  test('an imported PocketBase data directory includes the views that Postgres can read, also a view over a view', async () => {
    expect(await rowsOf(store, 'over_titles', 'id', 'title')).toEqual([
      ['note00000000001', ''],
      ['note00000000002', 'It\'s "two"'],
    ])
    expect(store.catalog.find('titles')).toMatchObject({
      id: 'view_titles',
      listRule: '',
      viewRule: null,
    })
    expect(store.catalog.find('odd')).toBeUndefined()
  })

  test('an imported PocketBase data directory includes settings and their secrets', async () => {
    const settings = await SettingsStore.open(store.db)
    expect(settings.current).toMatchObject(SETTINGS)
    await settings.close()
  })

  test('an imported PocketBase data directory includes files of records with their metadata, but no thumbnails or stray files', async () => {
    const { rows } = await store.db.query(
      `select record, name, type, convert_from(bytes, 'UTF8') from _files join _file_chunks using (content) order by name`,
    )
    expect(rows).toEqual([
      ['note00000000002', 'a.txt', 'text/x-noted', FILES[0]],
      ['note00000000002', 'b.txt', 'text/plain; charset=utf-8', FILES[1]],
    ])
  })

  test('an imported PocketBase data directory cannot be imported twice', async () => {
    await expect(bringSource(store, source)).rejects.toThrow(
      'The store is not empty: there are records in users.',
    )
    expect(await rowsOf(store, 'notes', 'id')).toHaveLength(2)
  })
})

test('an import leaves out records that the API would refuse, and relations to them', async () => {
  const store = await collectionStore()
  const relation = (name: string, to: string, more: object = {}) => ({
    id: `f_${name}`,
    name,
    type: 'relation',
    collectionId: `id_${to}_000000`,
    maxSelect: 1,
    ...more,
  })
  const collection = (name: string, fields: object[], rows: SourceCollection['rows']) => ({
    id: `id_${name}_000000`,
    name,
    fields: [ID, ...fields],
    rows,
  })
  const id = (name: string) => name.padEnd(15, '0')
  const source = writeSource(join(folder, 'faulty'), {
    collections: [
      collection(
        'authors',
        [{ id: 'f_name', name: 'name', type: 'text', max: 5 }],
        [
          { id: id('ann'), name: 'Ann' },
          { id: id('long'), name: 'x'.repeat(1 << 20) },
        ],
      ),
      collection(
        'books',
        [relation('author', 'authors', { required: true })],
        [
          { id: id('good'), author: id('ann') },
          { id: id('lost'), author: id('long') },
          { id: id('none'), author: '' },
        ],
      ),
      collection(
        'reviews',
        [relation('book', 'books'), relation('books', 'books', { maxSelect: 9 })],
        [{ id: id('review'), book: id('lost'), books: JSON.stringify([id('good'), id('lost')]) }],
      ),
    ],
  })
  expect(await bringSource(store, source)).toEqual([
    'Imported 3 collections, 0 views, 3 of 6 records and 0 files.',
    `- authors: 1 were left out: name: Must be no more than 5 character(s). The first is ${id('long')}.`,
    `- books: 1 were left out: author: Cannot be blank. The first is ${id('none')}.`,
    `- books: 1 were left out: author was left out or is not there. The first is ${id('lost')}.`,
    `- reviews: 1 lost their book, which was left out or is not there. The first is ${id('review')}.`,
    `- reviews: 1 lost their books, which was left out or is not there. The first is ${id('review')}.`,
  ])
  expect(await rowsOf(store, 'reviews', 'book', 'books')).toEqual([['', [id('good')]]])
})

describe('an import is refused as a whole, with a plain reason, for', async () => {
  const store = await collectionStore()

  const named = (name: string, fields: object[] = []) => ({
    id: `id_${name}`,
    name,
    fields: [ID, ...fields],
  })
  const title = { id: 'f_t', name: 'title', type: 'text' }

  test.each([
    [
      "a collection with a built-in collection's name",
      { collections: [named('Contacts'), named('webhooks')] },
      'pocketsms has collections of its own with these names: Contacts, webhooks. Rename them in PocketBase, then import again.',
    ],
    [
      'users under another name',
      { collections: [{ ...named('people'), id: '_pb_users_auth_', type: 'auth' as const }] },
      'pocketsms needs the collection people under the name users. Rename it in PocketBase, then import again.',
    ],
    [
      'a required field of another type',
      {
        collections: [
          {
            ...named('users', [{ ...title, name: 'name', type: 'json' }]),
            id: '_pb_users_auth_',
            type: 'auth' as const,
          },
        ],
      },
      'pocketsms needs the field name of users to be of type text, not json. Rename it in PocketBase, then import again.',
    ],
    [
      'records that break a unique index',
      {
        collections: [
          {
            ...named('things', [title]),
            indexes: ['CREATE UNIQUE INDEX idx_things ON things (title COLLATE NOCASE)'],
            rows: [
              { id: 'thing0000000001', title: 'a' },
              { id: 'thing0000000002', title: 'A' },
            ],
          },
        ],
      },
      /thing0000000002.*another record has the same value/,
    ],
  ])('%s: $2', async (name, source, sentence) => {
    const refused = await bringSource(
      store,
      writeSource(join(folder, name.replaceAll(' ', '-')), source),
    ).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(UserError)
    expect((refused as Error).message).toMatch(sentence)
    expect(store.catalog.find('things')).toBeUndefined()
  })

  test('a folder without data.db, or with a data.db that is not a database', async () => {
    await expect(bringSource(store, folder)).rejects.toThrow(
      `${folder} is not a PocketBase data directory: it has no data.db.`,
    )
    const other = writeSource(join(folder, 'other'), {})
    writeFileSync(join(other, 'data.db'), 'no database at all, but a text of some length')
    await expect(bringSource(store, other)).rejects.toThrow(/data\.db cannot be read/)
    const damaged = writeSource(join(folder, 'damaged'), { collections: [NOTES] })
    new DatabaseSync(join(damaged, 'data.db')).exec(`update _collections set options = '{broken'`)
    await expect(bringSource(store, damaged)).rejects.toThrow('its collection notes is damaged')
    const old = join(folder, 'old')
    mkdirSync(old)
    new DatabaseSync(join(old, 'data.db')).exec(
      'create table _collections (id text, name text, schema json)',
    )
    await expect(bringSource(store, old)).rejects.toThrow(
      'has no collections of PocketBase 0.23 or later',
    )
  })

  test('encrypted settings are left out and reported', async () => {
    const source = writeSource(join(folder, 'encrypted'), {
      collections: [NOTES],
      settings: '\x8fscrambled',
    })
    const summary = await bringSource(store, source)
    expect(summary).toContain('- settings: left out, they are encrypted.')
    expect(await rowsOf(store, 'notes', 'id')).toHaveLength(2)
    await expect(bringSource(store, source)).rejects.toThrow(
      'The store is not empty: it has the collection notes.',
    )
  })
})

const pick = (from: object, ...keys: string[]) =>
  Object.fromEntries(Object.entries(from).filter(([key]) => keys.includes(key)))
