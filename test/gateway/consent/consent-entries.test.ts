import { request } from '../../support/server/request.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'

const server = await startServerWithDevices()
const ann = await server.makeUser()
const ben = await server.makeUser()
const phone = await server.pair(ann, { platform: 'simulator' })

const CONSENTS = '/api/collections/consents/records'
const STATES = '/api/collections/consent_states/records'
const CONTACTS = '/api/collections/contacts/records'

let numbers = 70_000_000
const nextNumber = () => `+4915${numbers++}`
const list = async (by: Client, path: string, number: string) =>
  (
    await must(
      by,
      'GET',
      `${path}?sort=created,@rowid&filter=${encodeURIComponent(`number = "${number}"`)}`,
    )
  ).items
const entries = (number: string, by = ann) => list(by, CONSENTS, number)
const states = (number: string, by = ann) => list(by, STATES, number)
const makeContact = (values: object, by = ann) =>
  must(by, 'POST', CONTACTS, { user: by.id, ...values })
const contactOf = async (number: string) =>
  (
    await server.query(
      'select id, opted_out, groups from contacts where phone = $1 and "user" = $2',
      [number, ann.id],
    )
  )[0]
const addEntry = (values: object, by = ann) => by.call('POST', CONSENTS, { user: by.id, ...values })

describe('a change of opted_out adds an entry', () => {
  test('STOP and START add entries with the text and its message', async () => {
    const number = nextNumber()
    await server.hear(phone, [[number, 'Stop!']])
    await server.hear(phone, [[number, 'START']])
    await server.hear(phone, [[number, 'START']])
    const found = await entries(number)
    expect(found).toMatchObject([
      {
        event: 'opt_out',
        source: 'keyword',
        said: 'Stop!',
        purpose: 'all',
        group: '',
        entered_by: '',
      },
      { event: 'opt_in', source: 'keyword', said: 'START', purpose: 'all' },
    ])
    const [{ id }] = (
      await must(ann, 'GET', `${CONTACTS}?filter=${encodeURIComponent(`phone = "${number}"`)}`)
    ).items
    for (const { contact, message, said } of found) {
      expect(contact).toBe(id)
      expect(
        (await must(ann, 'GET', `/api/collections/sms_messages/records/${message}`)).body,
      ).toBe(said)
    }
    expect(await states(number)).toMatchObject([
      { state: 'given', purpose: 'all', entry: found[1].id },
    ])
  })

  test.each([
    ['the record API', {}, 'api'],
    ['the console', { 'consent-source': 'console' }, 'console'],
    ['a client that claims a text of a person', { 'consent-source': 'keyword' }, 'api'],
  ])('a change of opted_out adds an entry by %s', async (_, headers, source) => {
    const number = nextNumber()
    const by = { authorization: ann.token, ...headers }
    const ask = (method: string, path: string, body: object) =>
      request(server.url, method, path, body, by)
    const { id } = (await ask('POST', CONTACTS, { user: ann.id, phone: number, opted_out: true }))
      .body
    await ask('PATCH', `${CONTACTS}/${id}`, { name: 'Another name' })
    await ask('PATCH', `${CONTACTS}/${id}`, { opted_out: false })
    expect(await entries(number)).toMatchObject([
      { event: 'opt_out', source, contact: id, entered_by: ann.id },
      { event: 'opt_in', source, contact: id, entered_by: ann.id },
    ])
    // nobody has texted it, and no text that the person agreed to is known
    expect(await states(number)).toMatchObject([{ state: 'claimed' }])
  })

  test('a change of opted_out adds an entry by a superuser and by a statement on the database', async () => {
    const number = nextNumber()
    const { id } = await makeContact({ phone: number })
    await must(server.superuser, 'PATCH', `${CONTACTS}/${id}`, { opted_out: true })
    await server.query('update contacts set opted_out = false where id = $1', [id])
    expect(await entries(number)).toMatchObject([
      { event: 'opt_out', source: 'api', entered_by: '' },
      { event: 'opt_in', source: 'api', entered_by: '' },
    ])
  })

  test('a change of opted_out adds an entry for the new number of a contact that has opted out', async () => {
    const [number, next] = [nextNumber(), nextNumber()]
    const { id } = await makeContact({ phone: number, opted_out: true })
    await must(ann, 'PATCH', `${CONTACTS}/${id}`, { phone: next })
    expect(await entries(next)).toMatchObject([{ event: 'opt_out', contact: id }])
  })

  test('a change of opted_out adds no entry for a contact that has not opted out, unless it was imported', async () => {
    const [number, imported] = [nextNumber(), nextNumber()]
    await makeContact({ phone: number })
    const by = { authorization: ann.token, 'consent-source': 'import' }
    await request(server.url, 'POST', CONTACTS, { user: ann.id, phone: imported }, by)
    expect(await entries(number)).toEqual([])
    expect(await entries(imported)).toMatchObject([{ event: 'imported', source: 'import' }])
    expect(await states(imported)).toMatchObject([{ state: 'claimed' }])
  })
})

describe('an entry that a client adds', () => {
  test('an entry that a client adds opts the contact out, which is created, and ends waiting messages', async () => {
    const number = nextNumber()
    const sent = await must(ann, 'POST', '/api/sms/send', { recipients: [number], body: 'Hi' })
    const made = await addEntry({ number, event: 'opt_out', said: 'by letter' })
    expect(made.body).toMatchObject({
      source: 'api',
      purpose: 'all',
      entered_by: ann.id,
      said: 'by letter',
    })
    expect(await contactOf(number)).toMatchObject([expect.any(String), true, []])
    const message = await must(
      ann,
      'GET',
      `/api/collections/sms_messages/records/${sent.message_ids[0]}`,
    )
    expect(message).toMatchObject({ status: 'failed', error_message: 'Recipient has opted out' })
    expect(await entries(number)).toHaveLength(1)
  })

  test('an entry that a client adds with a shown text is proof, and the contact joins the group', async () => {
    const number = nextNumber()
    const group = await must(ann, 'POST', '/api/collections/contact_groups/records', {
      user: ann.id,
      name: `n${number}`,
    })
    const shown = 'I want offers of the shop by text.'
    const made = await addEntry({
      number,
      group: group.id,
      event: 'opt_in',
      source: 'page',
      shown,
      address: '192.0.2.1',
      browser: 'Firefox',
    })
    expect(made.body).toMatchObject({
      purpose: group.name,
      version: expect.stringMatching(/^[0-9a-f]{12}$/),
    })
    expect(await states(number)).toMatchObject([
      { state: 'given', group: group.id, purpose: '', entry: made.body.id },
    ])
    expect(await contactOf(number)).toMatchObject([expect.any(String), false, [group.id]])
    await addEntry({ number, group: group.id, event: 'opt_out' })
    expect(await states(number)).toMatchObject([{ state: 'stopped', group: group.id }])
    expect(await contactOf(number)).toMatchObject([expect.any(String), false, []])
  })

  test('an entry that a client adds older than the present state does not change it', async () => {
    const number = nextNumber()
    await addEntry({ number, event: 'opt_out' })
    await addEntry({
      number,
      event: 'imported',
      shown: 'The form of 2019',
      given_at: '2019-05-01 10:00:00.000Z',
    })
    expect(await states(number)).toMatchObject([{ state: 'stopped' }])
    expect(await contactOf(number)).toMatchObject([expect.any(String), true, []])
  })

  test('an entry that a client adds that opts out of all ends the consent to every group', async () => {
    const number = nextNumber()
    const group = await must(ann, 'POST', '/api/collections/contact_groups/records', {
      user: ann.id,
      name: `o${number}`,
    })
    await addEntry({ number, group: group.id, event: 'opt_in', shown: 'Yes, news' })
    await server.hear(phone, [[number, 'STOP']])
    expect((await states(number)).map(({ state }: { state: string }) => state)).toEqual([
      'stopped',
      'stopped',
    ])
  })

  test.each([
    ['a text of the person', { source: 'keyword', event: 'opt_in' }, 400],
    ['an answer of the person', { source: 'reply', event: 'confirmed' }, 400],
    ['an unknown source', { source: 'fax', event: 'opt_in' }, 400],
    ['a source in capitals', { source: 'API', event: 'opt_in' }, 400],
    ['a source with a space', { source: 'page ', event: 'opt_out' }, 400],
    ['a number as its source', { source: 5, event: 'opt_in' }, 400],
    ['an object as its source', { source: { page: true }, event: 'opt_in' }, 400],
    ['no event', {}, 400],
    ['no number', { number: '', event: 'opt_in' }, 400],
    ['a group of another account', { event: 'opt_in', group: 'theirs' }, 400],
    ['another account', { event: 'opt_in', user: 'ben' }, 400],
  ])(
    'an entry that a client adds is refused with %s',
    async (_, values: Record<string, unknown>, status) => {
      const theirs = await must(ben, 'POST', '/api/collections/contact_groups/records', {
        user: ben.id,
        name: nextNumber(),
      })
      const real = {
        ...values,
        ...('group' in values && { group: theirs.id }),
        ...('user' in values && { user: ben.id }),
      }
      const answer = await addEntry({ number: nextNumber(), ...real })
      expect(answer.status).toBe(status)
    },
  )
})

test('an unknown source is refused in a batch and in the header of an entry', async () => {
  const body = { user: ann.id, number: nextNumber(), event: 'opt_in', source: 'fax' }
  await must(server.superuser, 'PATCH', '/api/settings', { batch: { enabled: true } })
  const requests = [{ method: 'POST', url: CONSENTS, body }]
  expect((await ann.call('POST', '/api/batch', { requests })).status).toBe(400)
  const by = { authorization: ann.token, 'consent-source': 'fax' }
  const { source: _, ...plain } = body
  expect((await request(server.url, 'POST', CONSENTS, plain, by)).status).toBe(400)
  expect(await entries(body.number)).toEqual([])
})

describe('an entry is never changed or deleted', () => {
  const number = nextNumber()
  let entry: { readonly id: string }
  beforeAll(async () => {
    entry = (await addEntry({ number, event: 'opt_in', shown: 'Yes' })).body
  })

  test.each([
    ['its owner', () => ann],
    ['a superuser', () => server.superuser],
  ])('an entry is never changed or deleted by %s', async (_, by) => {
    for (const [path, id] of [
      [CONSENTS, entry.id],
      [STATES, (await states(number))[0].id],
    ] as const) {
      expect((await by().call('PATCH', `${path}/${id}`, { number: nextNumber() })).status).toBe(403)
      expect((await by().call('DELETE', `${path}/${id}`)).status).toBe(403)
    }
    for (const collection of ['consents', 'consent_states'])
      expect(
        (await by().call('DELETE', `/api/collections/${collection}/truncate`)).status,
      ).toBeGreaterThanOrEqual(400)
    expect((await by().call('POST', STATES, { user: ann.id, number, state: 'given' })).status).toBe(
      403,
    )
    expect(await entries(number)).toMatchObject([{ id: entry.id, number }])
  })

  test.each([
    ['update consents set said = $1', ['x']],
    ['update consents set number = number || $1', ['1']],
    ['update consents set message = $1', ['x']],
    ['delete from consents where "user" = $1', [ann.id]],
    ['truncate consents', []],
    ['update consent_states set state = $1', ['given']],
    ['delete from consent_states where "user" = $1', [ann.id]],
    [
      `insert into consent_states (id, "user", number, state) values (pb_new_id(), $1, '+49123456789', 'given')`,
      [ann.id],
    ],
  ])('an entry is never changed or deleted by the statement %s', async (sql, params) => {
    await expect(server.query(sql, params)).rejects.toThrow(/never changed|follow the entries/)
  })

  test('an entry keeps its text when its contact, group and message are deleted', async () => {
    const other = nextNumber()
    const group = await must(ann, 'POST', '/api/collections/contact_groups/records', {
      user: ann.id,
      name: `g${other}`,
    })
    await addEntry({ number: other, group: group.id, event: 'opt_in', shown: 'Yes' })
    await server.hear(phone, [[other, 'STOP']])
    const [, stop] = await entries(other)
    await must(ann, 'DELETE', `/api/collections/sms_messages/records/${stop.message}`)
    await must(ann, 'DELETE', `${CONTACTS}/${stop.contact}`)
    await must(ann, 'DELETE', `/api/collections/contact_groups/records/${group.id}`)
    expect(await entries(other)).toMatchObject([
      { event: 'opt_in', shown: 'Yes', purpose: group.name, group: '', contact: '' },
      { event: 'opt_out', said: 'STOP', message: '', contact: '' },
    ])
    expect(await states(other)).toMatchObject([{ purpose: 'all', state: 'stopped' }])
  })

  test('an entry is never changed or deleted except by an erasure or a deletion of the account, which leave hashes', async () => {
    const cleo = await server.makeUser()
    const [one, two] = [nextNumber(), nextNumber()]
    for (const number of [one, two]) await addEntry({ number, event: 'opt_in', shown: 'Yes' }, cleo)
    const hashes = () =>
      server.query('select event, length(hash) from _consents_forgotten where "user" = $1', [
        cleo.id,
      ])
    await server.server.services.store.db.transaction(async (db) => {
      await db.query(`select set_config('pocketsms.forget', 'consents', true)`)
      await db.query('delete from consent_states where number = $1', [one])
      await db.query('delete from consents where number = $1', [one])
    })
    expect(await hashes()).toEqual([['opt_in', 64]])
    await must(server.superuser, 'DELETE', `/api/collections/users/records/${cleo.id}`)
    expect(await hashes()).toEqual([
      ['opt_in', 64],
      ['opt_in', 64],
    ])
    for (const table of ['consents', 'consent_states'])
      expect(await server.query(`select 1 from ${table} where "user" = $1`, [cleo.id])).toEqual([])
  })
})

test('other accounts, guests and devices see no entries and add none', async () => {
  const number = nextNumber()
  const { body } = await addEntry({ number, event: 'opt_in', shown: 'Yes' })
  for (const by of [ben, server.guest, phone]) {
    expect((await by.call('GET', `${CONSENTS}/${body.id}`)).status).toBe(404)
    expect((await by.call('GET', CONSENTS)).body.items).toEqual([])
    expect((await by.call('GET', STATES)).body.items).toEqual([])
    const made = await by.call('POST', CONSENTS, { user: ann.id, number, event: 'opt_out' })
    expect(made.status).toBe(400)
  }
  expect(await entries(number)).toHaveLength(1)
})
