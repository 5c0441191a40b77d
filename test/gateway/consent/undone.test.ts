import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'

// An opt-out that was entered by mistake is undone: what was agreed before holds again, and nothing else.

const server = await startServerWithDevices()
const ann = await server.makeUser()
const phone = await server.pair(ann, { platform: 'simulator' })
const [news, offers] = await Promise.all(
  ['News', 'Offers'].map((name) =>
    must(ann, 'POST', '/api/collections/contact_groups/records', {
      user: ann.id,
      name,
      join_words: `JOIN ${name}`,
    }),
  ),
)

const CONSENTS = '/api/collections/consents/records'
const CONTACTS = '/api/collections/contacts/records'
let numbers = 72_000_000
const nextNumber = () => `+4915${numbers++}`

const statesOf = (number: string) =>
  server.query(
    `select "group", purpose, state, since, until, entry from consent_states where "user" = $1 and number = $2
    order by "group", purpose`,
    [ann.id, number],
  )
const eventsOf = async (number: string) =>
  (
    await server.query(
      'select event, source from consents where "user" = $1 and number = $2 order by _rowid',
      [ann.id, number],
    )
  ).map((row) => row.join(' '))
const contactOf = async (number: string) =>
  (
    await server.query('select opted_out, groups from contacts where "user" = $1 and phone = $2', [
      ann.id,
      number,
    ])
  )[0]
const enter = (by: Client, number: string, event: string, more: object = {}) =>
  by.call('POST', CONSENTS, { user: ann.id, number, event, source: 'console', ...more })
const optOut = async (by: Client, number: string) => {
  const { items } = await must(
    ann,
    'GET',
    `${CONTACTS}?filter=(phone="${encodeURIComponent(number)}")`,
  )
  await must(by, 'PATCH', `${CONTACTS}/${items[0].id}`, { opted_out: true })
}
const makeContact = (number: string) => must(ann, 'POST', CONTACTS, { user: ann.id, phone: number })

test.each([
  ['nobody has said anything', async (_: string) => {}],
  ['an import has claimed a consent', (number: string) => enter(ann, number, 'imported')],
  [
    'the person has agreed to all texts',
    (number: string) => enter(ann, number, 'opt_in', { shown: 'I agree' }),
  ],
  [
    'the person has joined groups',
    async (number: string) => {
      await server.hear(phone, [[number, 'join news']])
      await enter(ann, number, 'opt_in', { group: offers.id, shown: 'Offers, please' })
    },
  ],
  [
    'the person has left a group',
    async (number: string) => {
      await server.hear(phone, [[number, 'join news']])
      await enter(ann, number, 'opt_out', { group: news.id })
    },
  ],
] as const)('where %s, an opt-out and its undoing leave all as it was', async (_, before) => {
  const number = nextNumber()
  await makeContact(number)
  await before(number)
  const [states, contact, events] = [
    await statesOf(number),
    await contactOf(number),
    await eventsOf(number),
  ]
  await optOut(ann, number)
  expect((await contactOf(number))?.[0]).toBe(true)
  expect((await enter(ann, number, 'undone')).status).toBe(200)
  expect(await statesOf(number)).toEqual(states)
  expect(await contactOf(number)).toEqual(contact)
  // no entry says that the person has agreed
  expect(await eventsOf(number)).toEqual([...events, 'opt_out api', 'undone console'])
})

test('an opt-out without a contact, and one for a text, are undone, too', async () => {
  const number = nextNumber()
  await enter(ann, number, 'opt_out', { said: 'Please, no more' })
  expect(await contactOf(number)).toEqual([true, []])
  expect((await enter(ann, number, 'undone')).status).toBe(200)
  expect(await contactOf(number)).toEqual([false, []])
  expect(await statesOf(number)).toEqual([])
})

test.each([
  [
    'the person has texted STOP since',
    async (number: string) => {
      await optOut(ann, number)
      await server.hear(phone, [[number, 'STOP']])
    },
  ],
  [
    'a phone reports since that the person had texted STOP before',
    async (number: string) => {
      const received_at = new Date(Date.now() - 5_000).toISOString()
      await optOut(ann, number)
      await must(phone, 'POST', '/api/devices/incoming', {
        items: [{ from: number, body: 'Stop.', received_at }],
      })
    },
  ],
  [
    'the person has used the link to leave since',
    async (number: string) => {
      await optOut(ann, number)
      await enter(ann, number, 'opt_out', { source: 'page' })
    },
  ],
  ['the person has texted STOP alone', (number: string) => server.hear(phone, [[number, 'STOP']])],
  ['somebody else has entered it', (number: string) => optOut(server.superuser, number)],
  [
    'it is undone already',
    async (number: string) => {
      await optOut(ann, number)
      await enter(ann, number, 'undone')
    },
  ],
  ['there is none', async () => {}],
  [
    'an import has brought it',
    (number: string) => enter(ann, number, 'opt_out', { source: 'import' }),
  ],
] as const)('if %s, an opt-out cannot be undone', async (_, before) => {
  const number = nextNumber()
  await makeContact(number)
  await before(number)
  const [states, contact] = [await statesOf(number), await contactOf(number)]
  const answer = await enter(ann, number, 'undone')
  expect(answer).toMatchObject({
    status: 400,
    body: { data: { event: { code: 'validation_not_undoable' } } },
  })
  expect([await statesOf(number), await contactOf(number)]).toEqual([states, contact])
})

test('an opt-out of a group alone cannot be undone by the event', async () => {
  const number = nextNumber()
  await makeContact(number)
  await optOut(ann, number)
  expect((await enter(ann, number, 'undone', { group: news.id })).status).toBe(400)
})

test('after two minutes, an opt-out stays', async () => {
  const number = nextNumber()
  await makeContact(number)
  await optOut(ann, number)
  for (const statement of [
    'alter table consents disable trigger consents_kept',
    `update consents set created = pb_text(now() - interval '3 minutes') where number = '${number}'`,
    'alter table consents enable trigger consents_kept',
  ])
    await server.query(statement)
  expect((await enter(ann, number, 'undone')).status).toBe(400)
})

test('a person who texts STOP again after an undoing is opted out', async () => {
  const number = nextNumber()
  await makeContact(number)
  await optOut(ann, number)
  await enter(ann, number, 'undone')
  await server.hear(phone, [[number, 'STOP']])
  expect((await contactOf(number))?.[0]).toBe(true)
})
