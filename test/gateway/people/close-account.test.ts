import { tablesWith } from '../../support/database/dump.ts'
import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { makeShop, seedPerson } from './person-fixture.ts'

const gateway = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })

/** The change log, from which the server deletes entries after minutes. */
const SHORT_LIVED = ['_changes']

test('a closed account leaves no data of its persons in any place', async () => {
  const of = await makeShop(gateway)
  const { number, secrets, spellings } = await seedPerson(of)
  await must(of.shop, 'POST', '/api/person/data', { number })
  const { db } = gateway.server.services.store
  const words = [...secrets, ...spellings]
  expect((await tablesWith(db, words)).length).toBeGreaterThan(15)
  await must(gateway.superuser, 'DELETE', `/api/collections/users/records/${of.shop.id}`)
  const left = await tablesWith(db, words)
  expect(left.filter((table) => !SHORT_LIVED.includes(table))).toEqual([])
})
