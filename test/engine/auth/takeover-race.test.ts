import { findAuthRecord } from '../../../src/engine/auth/find-auth-record.ts'
import type { AuthCollection } from '../../../src/engine/collections/collection.ts'
import { StaleAuth } from '../../../src/engine/records/check-auth-version.ts'
import { startPairing } from '../../../src/gateway/lines/pair-device.ts'
import { untilWaiting } from '../../support/database/locks.ts'
import { PASSWORD, startServerWithMail, tokenIn } from '../../support/server/server-with-mail.ts'

// A record comes to its owner in the very moment in which a stranger makes what opens it later.

const server = await startServerWithMail()
await server.server.services.settings.save({
  batch: { enabled: true, maxRequests: 50, timeout: 60 },
})

const store = () => server.server.services.store
const NEW_PASSWORD = 'brandnew1'
let count = 0

/** A stranger with a session in a record that is not verified, and the mailed link of the owner. */
async function moveIn() {
  const address = `moment${++count}@example.com`
  const id = await server.addUser(address, { verified: false })
  const session = await server.signIn('users', address, PASSWORD)
  await server.post('/api/collections/users/request-password-reset', { email: address })
  const token = tokenIn((await server.mail.next()).text)
  const form = { token, password: NEW_PASSWORD, passwordConfirm: NEW_PASSWORD }
  const takeOver = async () =>
    (await server.post('/api/collections/users/confirm-password-reset', form)).status
  return { id, session, takeOver }
}

const keysOf = async (user: string) =>
  Number(
    (await store().db.query('select count(*) from api_keys where "user" = $1', [user])).rows[0]![0],
  )

test('a key created in a batch during a takeover does not survive it', async () => {
  const { id, session, takeOver } = await moveIn()
  const headers = { authorization: session }
  const contact = { user: id, name: 'Bob', phone: '+4915112345678' }
  const { body } = await server.post('/api/collections/contacts/records', contact, headers)
  let batch: Promise<{ status: number }> | undefined
  let owner: Promise<number> | undefined
  await store().db.transaction(async (db) => {
    // the batch has made its key when it comes to the contact, and waits there
    await db.query('select 1 from contacts where id = $1 for update', [body.id])
    const requests = [
      {
        method: 'POST',
        url: '/api/collections/api_keys/records',
        body: { user: id, name: 'mine' },
      },
      {
        method: 'PATCH',
        url: `/api/collections/contacts/records/${body.id}`,
        body: { name: 'Ben' },
      },
    ]
    batch = server.post('/api/batch', { requests }, headers)
    await untilWaiting(store().db, 1)
    owner = takeOver()
    await Promise.race([owner, untilWaiting(store().db, 2)])
  })
  expect([(await batch)?.status, await owner]).toEqual([200, 204])
  expect(await keysOf(id)).toBe(0)
})

test('a pairing code cannot be created with a record read before the takeover', async () => {
  const { id, takeOver } = await moveIn()
  const users = store().catalog.find('users') as AuthCollection
  const stranger = (await findAuthRecord(store(), users, id))!
  expect(await takeOver()).toBe(204)
  await expect(startPairing(store(), stranger, '', 'http://x')).rejects.toBeInstanceOf(StaleAuth)
  const owner = (await findAuthRecord(store(), users, id))!
  expect((await startPairing(store(), owner, '', 'http://x')).code).toMatch(/^\d{6}$/)
})

test('a batch that creates keys and changes its own user succeeds', async () => {
  const { id, session } = await moveIn()
  const requests = [
    { method: 'PATCH', url: `/api/collections/users/records/${id}`, body: { name: 'Another' } },
    { method: 'POST', url: '/api/collections/api_keys/records', body: { user: id, name: 'mine' } },
  ]
  const { status } = await server.post('/api/batch', { requests }, { authorization: session })
  expect([status, await keysOf(id)]).toEqual([200, 1])
})
