import { cleanUpCarriers } from '../../../src/gateway/carriers/stored-carrier.ts'
import { collectionStore } from '../../support/collection-store.ts'

test('the server knows a text that a carrier repeats for 90 days', async () => {
  const store = await collectionStore()
  await store.db.query(
    `insert into carrier_texts select 'd1', n::text, now() - make_interval(days => n) from unnest('{8,89,91}'::int[]) n`,
  )
  await cleanUpCarriers(store)
  const { rows } = await store.db.query('select key from carrier_texts order by key')
  expect(rows).toEqual([['8'], ['89']])
})
