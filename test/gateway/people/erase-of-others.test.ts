import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { ended } from './person-fixture.ts'

const gateway = await startServerWithDevices()

const changesOf = async (user: string) =>
  (await gateway.query(`select record from _changes where image ->> 'user' = $1`, [user])).flat()

test('an erasure deletes no changes of another account from the change log', async () => {
  const [shop, other] = [await gateway.makeUser(), await gateway.makeUser()]
  const number = '+12026101514'
  for (const { id } of [shop, other])
    await gateway.query(
      `insert into _changes (collection, action, record, image) values ('contacts', 'update', $1,
        json_build_object('id', $1::text, 'user', $1::text, 'phone', $2::text))`,
      [id, number],
    )
  const { id } = await must(shop, 'POST', '/api/person/erase', { number, reason: 'Asked' })
  expect(await ended(shop, id)).toMatchObject({ state: 'done' })
  expect(await changesOf(shop.id)).not.toContain(shop.id)
  expect(await changesOf(other.id)).toEqual([other.id])
})
