import { expect, test } from 'vitest'
import { startWriteTestServer } from '../../support/server/write-test-server.ts'
import { stopAfterAll } from '../../support/stop-after-all.ts'

const PASSWORD = 'secret12345'
const id = (name: string) => name.padEnd(15, '0')

const shop = stopAfterAll(await startWriteTestServer())
for (const name of ['ann', 'ben']) {
  const body = { id: id(name), email: `${name}@example.com`, password: PASSWORD, passwordConfirm: PASSWORD }
  await shop.ask('', 'POST', 'collections/workers/records', body)
  await shop.signIn(name, 'workers', `${name}@example.com`, PASSWORD)
  await shop.ask(name, 'POST', 'collections/notes/records', {
    id: id(`note${name}`),
    worker: id(name),
    text: name,
  })
}

const NOTE = `collections/notes/records/${id('noteben')}`
const batch = (method: string, url: string, body?: object) => ({
  requests: [{ method, url: `/api/${url}`, body }],
})

test.each([
  ['create for another', 'ann', 'POST', 'collections/notes/records', { worker: id('ben') }, 400],
  ['create for nobody', 'ann', 'POST', 'collections/notes/records', { text: 'x' }, 400],
  ['create as a guest', '', 'POST', 'collections/notes/records', { worker: id('ben') }, 400],
  ['update', 'ann', 'PATCH', NOTE, { text: 'x' }, 404],
  ['take over', 'ann', 'PATCH', NOTE, { worker: id('ann') }, 404],
  ['take over by a modifier', 'ann', 'PATCH', NOTE, { 'worker+': id('ann') }, 404],
  ['give away', 'ben', 'PATCH', NOTE, { worker: id('ann') }, 404],
  ['give away by a modifier', 'ben', 'PATCH', NOTE, { 'worker-': id('ben') }, 404],
  ['update as a guest', '', 'PATCH', NOTE, {}, 404],
  ['delete', 'ann', 'DELETE', NOTE, undefined, 404],
  ['delete as a guest', '', 'DELETE', NOTE, undefined, 404],
  [
    'batch create',
    'ann',
    'POST',
    'batch',
    batch('POST', 'collections/notes/records', { worker: id('ben') }),
    400,
  ],
  ['batch update', 'ann', 'POST', 'batch', batch('PATCH', NOTE, { text: 'x' }), 400],
  [
    'batch upsert',
    'ann',
    'POST',
    'batch',
    batch('PUT', 'collections/notes/records', { id: id('noteben'), text: 'x' }),
    400,
  ],
  ['batch delete', 'ann', 'POST', 'batch', batch('DELETE', NOTE), 400],
] as const)('%s by %s is refused', async (_, who, method, path, body, status) => {
  expect((await shop.ask(who, method, path, body)).status).toBe(status)
  const { rows } = await shop.server.services.store.db.query('select id, worker, text from notes order by id')
  expect(rows).toEqual([
    [id('noteann'), id('ann'), 'ann'],
    [id('noteben'), id('ben'), 'ben'],
  ])
})

test('one’s own goes through', async () => {
  expect((await shop.ask('ben', 'PATCH', NOTE, { text: 'mine' })).body.text).toBe('mine')
  expect((await shop.ask('ben', 'DELETE', NOTE)).status).toBe(204)
})
