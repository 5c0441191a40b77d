import { parseNewCollection } from '../../../src/engine/collections/definition/read-collection.ts'
import { removeCollection } from '../../../src/engine/collections/edit.ts'
import { importAllOrNone } from '../../../src/engine/collections/import-all-or-none.ts'
import { saveCollection } from '../../../src/engine/collections/save-collection.ts'
import { checkRule } from '../../../src/engine/records/check-rules.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { collectionStore, create, refusal, update } from '../../support/collection-store.ts'
import { openCatalogStore, openDb } from '../../support/database/open.ts'
import { testConfig } from '../../support/server/start.ts'

const store = await collectionStore()

test('a second start finds the same collections', async () => {
  const again = await openCatalogStore(store.db)
  expect(again.catalog.all).toEqual(store.catalog.all)
  await again.close()
})

test('another node sees a change, and unchanged collections stay the same objects', async () => {
  const other = await openCatalogStore(store.db)
  const users = other.catalog.find('users')
  await create(store, { name: 'news' })
  await expect.poll(() => other.catalog.find('news')?.name).toBe('news')
  expect(other.catalog.find('users')).toBe(users)
  await update(other, 'news', { listRule: '' })
  await expect.poll(() => store.catalog.find('news')?.listRule).toBe('')
  await other.close()
})

test('another node has loaded a change of a collection before the change is answered', async () => {
  const url = new URL((await testConfig()).databaseUrl!)
  url.pathname = String((await store.db.query('select current_database()')).rows[0]![0])
  const config = readConfig({ DATABASE_URL: url.href, LOG_LEVEL: 'silent' })
  const other = await openCatalogStore(await openDb(config, createLogger(config)))
  for (let i = 0; i < 20; i++) {
    await create(store, { name: `quick${i}` })
    expect(other.catalog.find(`quick${i}`)).toBeDefined()
    await update(store, `quick${i}`, { fields: [{ name: 'more', type: 'number' }] })
    expect(other.catalog.find(`quick${i}`)!.fields.map(({ name }) => name)).toContain('more')
    await removeCollection(store, `quick${i}`)
    expect(other.catalog.find(`quick${i}`)).toBeUndefined()
  }
  await other.close()
  await other.db.close()
})

test('a failed change leaves the catalog unchanged', async () => {
  const before = store.catalog
  const work = store.change(async (draft) => {
    const [first] = draft.catalog.all
    await draft.put({ ...first!, listRule: 'id = ""' })
    throw new Error('too late')
  })
  await expect(work).rejects.toThrow('too late')
  await store.reload()
  expect(store.catalog).toBe(before)
})

test.each([
  ['renamed', { name: 'texts' }, 'name'],
  ['saved without one of its fields', { fields: [{ name: 'id', type: 'text' }] }, 'fields'],
])('a built-in collection cannot be %s: "Pocketsms needs …"', async (_, raw, key) => {
  const refused = await refusal(update(store, 'sms_messages', raw))
  expect(refused?.data[key]).toMatchObject({ message: expect.stringMatching(/^Pocketsms needs/) })
})

test('an import with deleteMissing never deletes built-in collections', async () => {
  const form = { collections: [{ name: 'only' }], deleteMissing: true }
  const refused = await refusal(importAllOrNone(store, form, checkRule))
  expect(refused?.data.collections).toMatchObject({
    message: expect.stringContaining('pocketsms needs'),
  })
  expect(store.catalog.find('only')).toBeUndefined()
})

test('a built-in collection can gain fields, values and rules', async () => {
  const { fields } = store.catalog.find('contacts')!
  await update(store, 'contacts', {
    fields: [...fields, { name: 'nick', type: 'text' }],
    viewRule: '',
  })
  expect(store.catalog.find('contacts')!.fields.at(-1)).toMatchObject({ name: 'nick' })
})

test('a start adds fields and values that an older database lacks', async () => {
  const present = store.catalog.find('devices')!
  await store.change(async (draft) => {
    const earlier = present.fields
      .filter(({ name }) => name !== 'platform')
      .map((field) =>
        field.type === 'select' ? { ...field, values: field.values.slice(1) } : field,
      )
    await saveCollection(draft, { ...present, listRule: 'id = ""', fields: earlier })
  })
  const next = await openCatalogStore(store.db)
  const { fields, listRule } = next.catalog.find('devices')!
  const values = fields.flatMap((field) => (field.type === 'select' ? field.values : []))
  expect(fields.map(({ name }) => name).toSorted()).toEqual(
    present.fields.map(({ name }) => name).toSorted(),
  )
  expect(values).toEqual(expect.arrayContaining(['android', 'simulator']))
  expect(listRule).toBe('id = ""')
  await store.db.query('select platform from devices', [], 'the added column')
  await next.close()
})

test("a field that has a new built-in field's name but another type stops the start", async () => {
  await store.reload() // the start before may not have been heard of
  const present = store.catalog.find('devices')!
  await store.change(async (draft) => {
    const fields = present.fields.map((field) =>
      field.name === 'platform'
        ? parseNewCollection({ name: 'x', fields: [{ name: 'platform', type: 'bool' }] }).fields[0]!
        : field,
    )
    await saveCollection(draft, { ...present, fields })
  })
  await expect(openCatalogStore(store.db)).rejects.toThrow(
    'The field "platform" of the collection "devices"',
  )
})

test.each([
  ['long names', 'n'.repeat(255), 'f'.repeat(100)],
  ['names that Postgres uses itself', 'pg_class', 'xmin'],
  ['names of the gateway', 'line_use', 'line_use'],
  ['system names in capitals', 'Push_Hours', 'push_hours'],
  ['keywords', 'order', 'user'],
  ['a column name that every table has', 'columns_of_ours', '_rowid'],
])('%s can be used for tables and columns', async (_, name, field) => {
  await create(store, { name, fields: [{ name: field, type: 'text' }] })
  await update(store, name, {
    fields: [
      { name: field, type: 'text' },
      { name: 'more', type: 'bool' },
    ],
  })
  await create(store, { name: 'reading', type: 'view', viewQuery: `select id from "${name}"` })
  await removeCollection(store, 'reading')
  await removeCollection(store, name)
  expect(store.catalog.find(name)).toBeUndefined()
})

test('a collection renamed a moment before is deleted under its new name', async () => {
  const { id } = await create(store, { name: 'renamed_from' })
  const stale = store.catalog
  await update(store, 'renamed_from', { name: 'renamed_to' })
  // as a node whose word of the change is still on its way
  await removeCollection({ catalog: stale, change: (work) => store.change(work) }, 'renamed_from')
  expect(store.catalog.find(id)).toBeUndefined()
  const { rows } = await store.db.query(
    `select to_regclass('renamed_from') is null and to_regclass('renamed_to') is null`,
  )
  expect(rows).toEqual([[true]])
  const gone = removeCollection(
    { catalog: stale, change: (work) => store.change(work) },
    'renamed_from',
  )
  await expect(refusal(gone)).resolves.toMatchObject({ status: 404 })
})

test('a key that a view groups by is kept when indexes change', async () => {
  await create(store, { name: 'grouped', fields: [{ name: 'a', type: 'text' }] })
  await store.db.query('create view by_key as select id, a from grouped group by id')
  await update(store, 'grouped', { indexes: ['CREATE UNIQUE INDEX idx_grouped ON grouped (a)'] })
  expect(store.catalog.find('grouped')!.indexes).toHaveLength(1)
  await store.db.query('drop view by_key')
})
