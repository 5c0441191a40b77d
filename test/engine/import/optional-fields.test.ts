import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSystemCollections } from '../../../src/engine/collections/create-system-collections.ts'
import { makeBuiltInCollections } from '../../../src/engine/collections/definition/built-in-collections.ts'
import { loadColumnNames } from '../../../src/engine/collections/table.ts'
import { importFiles } from '../../../src/engine/import/import-fixtures.ts'
import { BUILT_IN } from '../../../src/main/collection-definitions.ts'
import { collectionStore, refusal, rowsOf, update } from '../../support/collection-store.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'

const folder = temporaryFolder()

const store = await collectionStore()

const keys = () => store.catalog.find('api_keys')!
const hasScopes = () => keys().fields.some(({ name }) => name === 'scopes')
const columns = () => loadColumnNames(store.db, 'api_keys')
const withoutScopes = () => keys().fields.filter(({ name }) => name !== 'scopes')

async function importSchema(schema: unknown): Promise<void> {
  const path = join(folder, 'schema.json')
  writeFileSync(path, JSON.stringify(schema))
  await importFiles(store, new Map(), { schema: path }, () => {})
}

test('a schema file without an optional field removes the field but keeps its column', async () => {
  expect(hasScopes()).toBe(true)
  await importSchema([{ ...keys(), fields: withoutScopes() }])
  expect(hasScopes()).toBe(false)
  expect(await columns()).toContain('scopes')
})

test('the next start does not add a removed optional field again', async () => {
  await store.change(createSystemCollections)
  expect(hasScopes()).toBe(false)
})

test('a superuser can add a removed optional field again with its old values and right options', async () => {
  const { db } = store
  await db.query(`insert into users (id, email) values ('useruseruser001', 'ann@example.com')`)
  await db.query(
    `insert into api_keys (id, "user", scopes) values ('keykeykeykey001', 'useruseruser001', '{all:any}')`,
  )
  const scopes = makeBuiltInCollections(BUILT_IN)
    .flatMap(({ id, fields }) => (id === 'api_keys' ? fields : []))
    .find(({ name }) => name === 'scopes')!
  const add = (field: object) => update(store, 'api_keys', { fields: [...keys().fields, field] })
  expect(await refusal(add({ ...scopes, values: ['all:any'] }))).toMatchObject({ status: 400 })
  await add(scopes)
  expect(await rowsOf(store, 'api_keys', 'scopes')).toEqual([[['all:any']]])
})

test('an optional field cannot be renamed, and a required field cannot be removed', async () => {
  const renamed = keys().fields.map((field) =>
    field.name === 'scopes' ? { ...field, name: 'may' } : field,
  )
  expect(await refusal(update(store, 'api_keys', { fields: renamed }))).toMatchObject({
    status: 400,
  })
  const needed = keys().fields.filter(({ name }) => name !== 'hash')
  expect(await refusal(update(store, 'api_keys', { fields: needed }))).toMatchObject({
    status: 400,
  })
  await update(store, 'api_keys', { fields: withoutScopes() })
  expect(hasScopes()).toBe(false)
})

const platform = () => {
  const field = store.catalog.find('devices')!.fields.find(({ name }) => name === 'platform')
  return field?.type === 'select' ? field.values : []
}

test('a schema file may leave out the platform carrier but no other, and the next start does not add it', async () => {
  const devices = store.catalog.find('devices')!
  const without = (left: string) => ({
    ...devices,
    fields: devices.fields.map((field) =>
      field.name === 'platform' && field.type === 'select'
        ? { ...field, values: field.values.filter((value) => value !== left) }
        : field,
    ),
  })
  await expect(importSchema([without('modem')])).rejects.toThrow(
    /needs the field platform of devices/,
  )
  await importSchema([without('carrier')])
  await store.change(createSystemCollections)
  expect(platform()).toEqual(['android', 'modem', 'simulator', 'other'])
})
