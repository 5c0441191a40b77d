import { expect, test } from 'vitest'
import { SUPERUSER } from '../../support/server/start.ts'
import { startWriteTestServer } from '../../support/server/write-test-server.ts'
import { stopAfterAll } from '../../support/stop-after-all.ts'

const shop = stopAfterAll(await startWriteTestServer())

const create = (collection: string, body: Record<string, unknown>) =>
  shop.ask('super', 'POST', `collections/${collection}/records`, body)
const remove = (collection: string, id: string) =>
  shop.ask('super', 'DELETE', `collections/${collection}/records/${id}`)
const view = async (collection: string, id: string) =>
  (await shop.ask('super', 'GET', `collections/${collection}/records/${id}`)).body
const id = (name: string) => name.padEnd(15, '0')

test('a record that nobody points at', async () => {
  await create('shelves', { id: id('lone') })
  expect((await remove('shelves', id('lone'))).status).toBe(204)
  expect((await remove('shelves', id('lone'))).status).toBe(404)
})

test('with it go those that have nothing else, the others lose the reference', async () => {
  for (const name of ['saw', 'axe']) await create('tools', { id: id(name), name })
  await create('jobs', { id: id('single'), tool: id('saw') })
  await create('jobs', { id: id('only'), tools: [id('saw')] })
  await create('jobs', { id: id('both'), tools: [id('axe'), id('saw')] })
  await create('jobs', { id: id('child'), parent: id('single') })
  await create('jobs', { id: id('grandchild'), parent: id('child') })
  expect((await remove('tools', id('saw'))).status).toBe(204)
  for (const gone of ['single', 'only', 'child', 'grandchild']) {
    expect((await view('jobs', id(gone))).status, gone).toBe(404)
  }
  expect((await view('jobs', id('both'))).tools).toEqual([id('axe')])
})

test('a lost reference is an update: its date is set, nothing is validated', async () => {
  await create('shelves', { id: id('s1') })
  await create('tools', { id: id('file'), name: 'file', shelf: id('s1'), spares: [id('s1')] })
  const { updated } = await view('tools', id('file'))
  await new Promise((resolve) => setTimeout(resolve, 5))
  await remove('shelves', id('s1'))
  const tool = await view('tools', id('file'))
  expect(tool).toMatchObject({ shelf: '', spares: [] })
  expect(tool.updated > updated).toBe(true)
})

test('a required reference holds everything back', async () => {
  await create('tools', { id: id('vise'), name: 'vise' })
  await create('jobs', { id: id('vising'), tool: id('vise') })
  await create('plans', { id: id('plan'), tool: id('vise') })
  expect(await remove('tools', id('vise'))).toMatchObject({
    status: 400,
    body: {
      message:
        'Failed to delete record. Make sure that the record is not part of a required relation reference.',
      data: {},
    },
  })
  expect((await view('jobs', id('vising'))).tool).toBe(id('vise'))
})

test('records that point at each other or at themselves', async () => {
  await create('jobs', { id: id('a') })
  await create('jobs', { id: id('b'), parent: id('a') })
  await shop.ask('super', 'PATCH', `collections/jobs/records/${id('a')}`, { parent: id('b') })
  await create('jobs', { id: id('self') })
  await shop.ask('super', 'PATCH', `collections/jobs/records/${id('self')}`, { parent: id('self') })
  expect((await remove('jobs', id('a'))).status).toBe(204)
  expect((await view('jobs', id('b'))).status).toBe(404)
  expect((await remove('jobs', id('self'))).status).toBe(204)
})

test('the last superuser stays', async () => {
  const { body } = await shop.ask('super', 'GET', 'collections/_superusers/records')
  const [{ id: last, email }] = body.items
  expect(email).toBe(SUPERUSER.email)
  expect(await remove('_superusers', last)).toMatchObject({
    status: 400,
    body: { message: "You can't delete the only existing superuser." },
  })
  const password = 'secondpass12345'
  await create('_superusers', {
    id: id('second'),
    email: 'second@example.com',
    password,
    passwordConfirm: password,
  })
  expect((await remove('_superusers', id('second'))).status).toBe(204)
})

test('with an auth record goes what belongs to it', async () => {
  const password = 'workerpass12345'
  const worker = { id: id('worker'), email: 'w@example.com', password, passwordConfirm: password }
  await create('workers', worker)
  const about = { collectionRef: 'workers', recordRef: id('worker') }
  await create('_authOrigins', { ...about, id: id('origin'), fingerprint: 'x' })
  expect((await view('_authOrigins', id('origin'))).fingerprint).toBe('x')
  expect((await remove('workers', id('worker'))).status).toBe(204)
  expect((await view('_authOrigins', id('origin'))).status).toBe(404)
})
