import PocketBase from 'pocketbase'
import { expect, test } from 'vitest'
import { SUPERUSER, startServer } from '../support/server/start.ts'
import { stopAfterAll } from '../support/stop-after-all.ts'

// What no recorded case of test/conformance shows.

const server = stopAfterAll(await startServer())
const pb = new PocketBase(server.url)
await pb.collection('_superusers').authWithPassword(SUPERUSER.email, SUPERUSER.password)

test('a list without a sort is in the order of creation', async () => {
  const { items } = await pb.send('/api/collections', { query: { perPage: 2 } })
  expect(items.map(({ name }: { name: string }) => name)).toEqual(['_mfas', '_otps'])
})

test('import with deleteMissing never takes what the gateway needs', async () => {
  const importing = pb.collections.import([{ name: 'only' }] as never, true)
  await expect(importing).rejects.toMatchObject({
    response: { data: { collections: { message: expect.stringContaining('pocketsms needs') } } },
  })
  expect(await pb.collections.getOne('sms_messages')).toMatchObject({ name: 'sms_messages' })
})
