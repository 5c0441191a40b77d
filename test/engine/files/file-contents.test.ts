import { sweepContents } from '../../../src/engine/files/file-contents.ts'
import { findStoredFile, loadWholeFile, storeFile } from '../../../src/engine/files/stored-files.ts'
import { makeMemoryContent } from '../../../src/engine/files/upload.ts'
import type { Db } from '../../../src/platform/db/open.ts'
import { untilWaiting } from '../../support/database/locks.ts'
import { openPreparedDb } from '../../support/server/start.ts'

const db = await openPreparedDb()
afterAll(() => db.close())
const PICTURE = Buffer.alloc(600_000, 'a picture')
const place = (record: string) => ({ collection: 'sms_messages', record, name: `${record}.jpg` })

const store = (record: string, account = 'ann', inside: Db = db, bytes = PICTURE) =>
  inside.transaction((tx) =>
    storeFile(
      tx,
      place(record),
      { type: 'image/jpeg', owner: { id: account, maxBytes: 0 } },
      makeMemoryContent(bytes),
    ),
  )
const remove = (record: string, inside: Db = db) =>
  inside.query('delete from _files where record = $1', [record])
const count = async (table: string) =>
  Number((await db.query(`select count(*) from ${table}`)).rows[0]![0])
const read = async (record: string) => loadWholeFile(db, (await findStoredFile(db, place(record)))!)

beforeEach(async () => {
  await db.query('delete from _files')
  await sweepContents(db)
})

test('files of an account with equal contents share one, until the last is deleted', async () => {
  for (const record of ['one', 'two', 'three']) await store(record)
  expect(await count('_file_contents')).toBe(1)
  expect(await count('_file_chunks')).toBe(3)
  for (const record of ['one', 'two', 'three']) {
    expect((await read(record)).equals(PICTURE)).toBe(true)
    await remove(record)
  }
  expect([await count('_file_contents'), await count('_file_chunks')]).toEqual([0, 0])
})

test('files of two accounts share no contents, nor do files with other bytes', async () => {
  await store('one')
  await store('two', 'ben')
  await store('three', 'ann', db, Buffer.concat([PICTURE, Buffer.from('!')]))
  expect(await count('_file_contents')).toBe(3)
})

test('a file that is stored while the last other one is deleted has its content', async () => {
  await store('one')
  let later: Promise<boolean> | undefined
  await db.transaction(async (tx) => {
    await remove('one', tx)
    later = store('two')
    await untilWaiting(db, 1)
  })
  await later
  expect((await read('two')).equals(PICTURE)).toBe(true)
})

test('a content that an upload has locked is not deleted, nor does the deletion wait', async () => {
  await store('one')
  await db.transaction(async (tx) => {
    await store('two', 'ann', tx)
    await remove('one')
  })
  expect((await read('two')).equals(PICTURE)).toBe(true)
})

test('an upload that is rolled back leaves no content', async () => {
  const fail = db.transaction(async (tx) => {
    await store('one', 'ann', tx)
    throw new Error('no')
  })
  await expect(fail).rejects.toThrow('no')
  expect(await count('_file_contents')).toBe(0)
})

test('the sweep deletes the contents that files deleted at the same time leave', async () => {
  await store('one')
  await store('two')
  await db.transaction(async (tx) => {
    await remove('one', tx)
    await db.transaction((other) => remove('two', other))
  })
  expect([await count('_files'), await count('_file_contents')]).toEqual([0, 1])
  await sweepContents(db)
  expect(await count('_file_contents')).toBe(0)
})

test('of a crowd that stores and deletes one picture, each file has its content in the end', async () => {
  const names = Array.from({ length: 60 }, (_, i) => `r${i}`)
  await Promise.all(
    names.map(async (name, i) => {
      await store(name)
      if (i % 3 > 0) await remove(name)
    }),
  )
  await sweepContents(db)
  expect([await count('_files'), await count('_file_contents')]).toEqual([20, 1])
  for (const name of names.filter((_, i) => i % 3 === 0))
    expect((await read(name)).equals(PICTURE)).toBe(true)
})
