import { client, makeUser, signIn as signInAs } from '../../support/server/server-with-devices.ts'
import { ask, signIn, startRealtimeServer } from './realtime-server.ts'
import { TestListener } from './test-listener.ts'

// Who was signed in when he subscribed is looked at anew whenever his record or his collection changes.

const { url } = await startRealtimeServer()
const { root } = await signIn(url)
let ear: TestListener
let user: { id: string; token: string }

const asRoot = (method: string, path: string, body?: object) => ask(url, root, method, path, body)
const note = (title: string, owner = user.id) =>
  asRoot('POST', 'collections/notes/records', { title, owner })
const draft = (title: string) => asRoot('POST', 'collections/drafts/records', { title })

beforeEach(async () => {
  user = await makeUser(url, client(url, '', root))
  const { id, token } = user
  ear = await TestListener.on(url, token, 'notes', 'drafts', `users/${id}`)
  await note('before')
  expect(await ear.titles(1)).toEqual(['notes create before'])
})

/** Nothing that only the user may see comes any more, but the line is open for whoever signs in. */
async function expectGuest(): Promise<void> {
  await note('unseen')
  await asRoot('POST', 'collections/drafts/records', { title: 'for all', open: true })
  expect(await ear.titles(1)).toEqual(['drafts create for all'])
  await ear.subscribe(root, 'vaults')
}

test('a changed user record applies from its own event on', async () => {
  await draft('unseen')
  await asRoot('PATCH', `collections/users/records/${user.id}`, { name: 'editor' })
  await draft('seen')
  const events = await ear.next(2)
  expect(
    events.map(({ event, data }) => `${event} ${data.record.title ?? data.record.name}`),
  ).toEqual([`users/${user.id} editor`, 'drafts seen'])
  await asRoot('PATCH', `collections/users/records/${user.id}`, { name: 'reader' })
  await draft('unseen')
  await note('seen')
  expect((await ear.next(2)).map(({ event }) => event)).toEqual([`users/${user.id}`, 'notes'])
})

test('an ended session closes its streams, and its token subscribes as a guest', async () => {
  const { items } = await ask(url, user.token, 'GET', 'account/sessions')
  await ask(url, user.token, 'DELETE', `account/sessions/${items[0].id}`)
  await ear.ended
  ear = await TestListener.on(url, user.token, 'notes', 'drafts')
  await expectGuest()
})

describe('a subscriber becomes a guest after', () => {
  test('a change of their password', async () => {
    const password = 'other-secret'
    await asRoot('PATCH', `collections/users/records/${user.id}`, {
      password,
      passwordConfirm: password,
    })
    await expectGuest()
  })

  test('the deletion of their record, which they still get as an event', async () => {
    await asRoot('DELETE', `collections/users/records/${user.id}`)
    const events = await ear.next(1)
    expect(events.map(({ event, data }) => `${event} ${data.action}`)).toContain(
      `users/${user.id} delete`,
    )
    await asRoot('POST', 'collections/drafts/records', { title: 'for all', open: true })
    expect(await ear.titles(1)).toEqual(['drafts create for all'])
    await ear.subscribe(root, 'vaults')
  })

  test("a change of their collection's token secret", async () => {
    const secret = 's'.repeat(40)
    await asRoot('PATCH', 'collections/users', { authToken: { secret, duration: 1000 } })
    await expectGuest()
  })

  test('the deletion of their collection', async () => {
    const text = { name: 'title', type: 'text' }
    await asRoot('POST', 'collections', { name: 'guests', type: 'auth', fields: [text] })
    const password = 'secret-enough'
    const body = { email: 'g@example.com', password, passwordConfirm: password }
    await asRoot('POST', 'collections/guests/records', body)
    const { token } = await signInAs(url, 'guests', body.email, password)
    const other = await TestListener.on(url, token, 'drafts')
    await asRoot('DELETE', 'collections/guests')
    await asRoot('POST', 'collections/drafts/records', { title: 'for all', open: true })
    expect(await other.titles(1)).toEqual(['drafts create for all'])
    await other.subscribe(root, 'vaults')
  })
})

test('other changes of a collection sign out no subscriber', async () => {
  await asRoot('PATCH', 'collections/users', { authAlert: { enabled: false } })
  await note('after')
  expect(await ear.titles(1)).toEqual(['notes create after'])
})

test('an expired token subscribes as a guest', async () => {
  const password = 'other-secret'
  await asRoot('PATCH', `collections/users/records/${user.id}`, {
    password,
    passwordConfirm: password,
  })
  const late = await TestListener.on(url, user.token, 'notes')
  await note('unseen')
  expect(await late.next(0, { quietMs: 300 })).toEqual([])
  await late.subscribe(root, 'notes')
})
