import { join } from 'node:path'
import fc from 'fast-check'
import { restoreBackup } from '../../../src/engine/backup/restore.ts'
import { writeBackup } from '../../../src/engine/backup/write.ts'
import { afterRestore } from '../../../src/main/after-restore.ts'
import type { Db } from '../../../src/platform/db/open.ts'
import { migrateDatabase } from '../../../src/platform/db/schema/migrate.ts'
import { openCatalogStore } from '../../support/database/open.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { openTestDb } from '../../support/server/start.ts'

// Values of every type that a row of ours can have go through a backup and come back as they were.

const folder = temporaryFolder()
let files = 0

const source = await openTestDb()
const target = await openTestDb()
await migrateDatabase(source)
await openCatalogStore(source)

/** Postgres has no NUL in a text, and UTF-8 no half of a pair. */
const texts = fc
  .string({ unit: 'binary', maxLength: 40, size: 'max' })
  .map((text) => text.replaceAll('\0', ''))
const params = fc.uniqueArray(fc.record({ key: texts, value: fc.json() }), {
  minLength: 1,
  maxLength: 40,
  size: 'max',
  selector: ({ key }) => key,
})
const logs = fc.array(
  fc.record({
    key: texts,
    tries: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    ends: fc.date({
      min: new Date('0001-01-01'),
      max: new Date('9999-12-31'),
      noInvalidDate: true,
    }),
  }),
  { maxLength: 40, size: 'max' },
)
const chunks = fc.array(fc.uint8Array({ maxLength: 300, size: 'max' }), { maxLength: 5 })

const READ = [
  'select key, value::text from _params order by key collate "C"',
  'select key, tries, ends::text from auth_tries order by key collate "C"',
  `select f.name, c.part, encode(c.bytes, 'hex') from _files f left join _file_chunks c using (content) order by 1, 2`,
]
const contentsOf = async (db: Db) =>
  Promise.all(READ.map(async (text) => (await db.query(text)).rows))

test('random values are equal after export and import', { timeout: 300_000 }, async () => {
  const property = fc.asyncProperty(params, logs, chunks, async (params, tries, chunks) => {
    await source.script(
      `delete from _params where value::text <> '{}'; delete from auth_tries; delete from _files`,
    )
    for (const { key, value } of params)
      await source.query(
        'insert into _params (key, value) values ($1, $2) on conflict do nothing',
        [key, value],
      )
    for (const { key, tries: n, ends } of tries)
      await source.query(
        'insert into auth_tries (key, tries, ends) values ($1, $2, $3) on conflict do nothing',
        [key, n, ends],
      )
    const { rows } = await source.query(
      `with c as (insert into _file_contents (account, sha256, size) values ('a', '\\x00', 1) returning id)
      insert into _files (collection, record, name, content, size, type)
        select 'c', 'r', 'n', id, 1, 'x/y' from c returning content`,
    )
    for (const [part, bytes] of chunks.entries())
      await source.query('insert into _file_chunks (content, part, bytes) values ($1, $2, $3)', [
        rows[0]![0],
        part,
        Buffer.from(bytes),
      ])
    const file = join(folder, `${++files}.zip`)
    await writeBackup(source, file)
    await restoreBackup(target, file, { replace: async () => {}, afterRestore, resume: true })
    expect(await contentsOf(target)).toEqual(await contentsOf(source))
  })
  await fc.assert(property, { numRuns: 2, endOnFailure: true })
})
