import { createLogger } from '../../../src/platform/log.ts'
import { runServer } from '../../support/database/open.ts'
import { ANN, ask, BEN, signIn, startRealtimeServer } from './realtime-server.ts'
import { TestListener } from './test-listener.ts'

// Several servers on one Postgres.

const one = await startRealtimeServer()
const again = () => runServer(one.services.config, createLogger({ logLevel: 'silent' }))
const note = (url: string, title: string, owner: string = ANN.id) =>
  ask(url, who.root, 'POST', 'collections/notes/records', { title, owner })

const who = await signIn(one.url)
let two = await again()

test('a change on either node reaches subscribers on both under their own rules', async () => {
  const ears = await Promise.all([
    TestListener.on(one.url, who.ann, 'notes'),
    TestListener.on(two.url, who.ann, 'notes'),
    TestListener.on(two.url, who.ben, 'notes'),
  ])
  await note(one.url, 'a')
  await note(two.url, 'b')
  await note(two.url, 'c', BEN.id)
  expect(await ears[0]!.titles(2)).toEqual(['notes create a', 'notes create b'])
  expect(await ears[1]!.titles(2)).toEqual(['notes create a', 'notes create b'])
  expect(await ears[2]!.titles(1)).toEqual(['notes create c'])
})

test('an OAuth2 redirect to any node reaches the waiting client once', async () => {
  const ear = await TestListener.open(one.url)
  await ask(two.url, '', 'POST', 'realtime', { clientId: ear.id, subscriptions: ['@oauth2'] }, 204)
  const back = async () => {
    const url = `${two.url}/api/oauth2-redirect?state=${ear.id}&code=abc`
    return (await fetch(url, { redirect: 'manual' })).headers.get('location')
  }
  expect(await back()).toMatch(/oauth2-redirect-success$/)
  expect(await back()).toMatch(/oauth2-redirect-failure$/)
})

test('a client can subscribe through a node that does not hold its connection', async () => {
  const ear = await TestListener.open(one.url)
  const subscribe = (token: string, expected: number) =>
    ask(
      two.url,
      token,
      'POST',
      'realtime',
      { clientId: ear.id, subscriptions: ['notes'] },
      expected,
    )
  await subscribe(who.ann, 204)
  await note(one.url, 'a')
  expect(await ear.titles(1)).toEqual(['notes create a'])
  const { message } = await subscribe(who.ben, 403)
  expect(message).toBe("The current and the previous request authorization don't match.")
  await ear.close()
  const gone = () =>
    subscribe(who.ann, 404).then(
      () => true,
      () => false,
    )
  await expect.poll(gone).toBe(true)
})

test("a password changed on one node ends the user's realtime events on the other node", async () => {
  const password = 'secret-enough'
  const body = { email: 'cat@example.com', password, passwordConfirm: password }
  const { id } = await ask(one.url, who.root, 'POST', 'collections/users/records', body)
  const credentials = { identity: body.email, password }
  const { token } = await ask(
    one.url,
    '',
    'POST',
    'collections/users/auth-with-password',
    credentials,
  )
  const ear = await TestListener.on(two.url, token, 'notes')
  await note(one.url, 'a', id)
  const other = { password: 'other-secret', passwordConfirm: 'other-secret' }
  await ask(one.url, who.root, 'PATCH', `collections/users/records/${id}`, other)
  await note(one.url, 'unseen', id)
  expect(await ear.titles(1)).toEqual(['notes create a'])
})

test('clients of a restarted node miss no event after they reconnect', async () => {
  const stays = await TestListener.on(one.url, who.ann, 'notes')
  const goes = await TestListener.on(two.url, who.ann, 'notes')
  await note(two.url, 'last')
  await two.stop()
  await goes.ended
  expect(await goes.titles(1)).toEqual(['notes create last'])
  await note(one.url, 'meanwhile')
  two = await again()
  const comes = await TestListener.on(two.url, who.ann, 'notes')
  await note(one.url, 'again')
  expect(await comes.titles(1)).toEqual(['notes create again'])
  expect(await stays.titles(3)).toHaveLength(3)
})

test('events of concurrent writers all arrive, in order for each record', async () => {
  const ears = await Promise.all(
    [one, two].map(({ url }) => TestListener.on(url, who.ann, 'notes')),
  )
  const write = async (url: string, name: string) => {
    const { id } = await note(url, `${name} 0`)
    for (let i = 1; i < 15; i++)
      await ask(i % 2 ? one.url : two.url, who.root, 'PATCH', `collections/notes/records/${id}`, {
        title: `${name} ${i}`,
      })
  }
  await Promise.all(Array.from({ length: 12 }, (_, i) => write(i % 2 ? one.url : two.url, `n${i}`)))
  for (const ear of ears) {
    const byRecord = new Map<string, string[]>()
    for (const { data } of await ear.next(180)) {
      const titles = byRecord.get(data.record.id) ?? []
      byRecord.set(data.record.id, [...titles, data.record.title])
    }
    expect(byRecord.size).toBe(12)
    for (const titles of byRecord.values()) {
      const [name] = titles[0]!.split(' ')
      expect(titles).toEqual(Array.from({ length: 15 }, (_, i) => `${name} ${i}`))
    }
  }
})

test('events of a transaction that commits late are delivered', async () => {
  const ear = await TestListener.on(two.url, who.ann, 'notes')
  const { db } = one.services.store
  const insert = (
    id: string,
  ) => `with written as (insert into notes (id, title, owner) values ('${id}', '${id}', '${ANN.id}')
    returning *) insert into _changes (collection, action, record, image) select 'notes', 'create', id, row_to_json(written) from written`
  await db.transaction(async (late) => {
    await late.query(insert('late00000000001'))
    await db.query(insert('early0000000001'))
    expect(await ear.titles(1)).toEqual(['notes create early0000000001'])
  })
  expect(await ear.titles(1)).toEqual(['notes create late00000000001'])
})
