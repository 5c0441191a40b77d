import { testStore } from '../../support/database/queue.ts'

const store = await testStore()

/** Tables whose rows find room for new versions in their page. */
const FILLED: Readonly<Record<string, string>> = {
  sms_messages: 'fillfactor=70',
  webhook_deliveries: 'fillfactor=50',
}
const SOON = ['autovacuum_analyze_threshold=250', 'autovacuum_analyze_scale_factor=0.02']

test('tables of records are set to be analyzed early', async () => {
  const { db, catalog } = store
  const { rows } = await db.query(`select c.relname, c.reloptions from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = '_rowid' where c.relkind = 'r'`)
  const options = new Map(rows as [string, string[] | null][])
  const tables = catalog.all.filter(({ type }) => type !== 'view').map(({ name }) => name)
  expect(tables).toContain('sms_messages')
  for (const name of [...tables, '_audit', '_logs'])
    expect(options.get(name), name).toEqual(FILLED[name] ? [...SOON, FILLED[name]] : SOON)
})
