import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestStore } from '../support/queue.ts'

let opened: Awaited<ReturnType<typeof openTestStore>>
beforeAll(async () => {
  opened = await openTestStore()
})
afterAll(() => opened.close())

const SOON = ['autovacuum_analyze_threshold=250', 'autovacuum_analyze_scale_factor=0.02']

test('Postgres counts the tables of records soon: new ones, and those of an earlier version', async () => {
  const { db, catalog } = opened.store
  const options = async () => {
    const { rows } = await db.query(`select c.relname, c.reloptions from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attname = '_rowid' where c.relkind = 'r'`)
    return new Map(rows as [string, string[] | null][])
  }
  const tables = catalog.all.filter(({ type }) => type !== 'view').map(({ name }) => name)
  expect(tables).toContain('sms_messages')
  for (const name of tables) expect((await options()).get(name), name).toEqual(SOON)
  for (const name of tables)
    await db.query(
      `alter table "${name}" reset (autovacuum_analyze_threshold, autovacuum_analyze_scale_factor)`,
    )
  expect((await options()).get('sms_messages')).toBeNull()
  await db.script(await readFile('sql/0022_statistics.sql', 'utf8'))
  for (const name of tables) expect((await options()).get(name), name).toEqual(SOON)
})
