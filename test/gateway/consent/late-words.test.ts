import { setOptedOut } from '../../../src/gateway/consent/set-opted-out.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'

// A phone that was offline reports texts long after their receipt.

const server = await startServerWithDevices()
const ann: Client = await server.makeUser()
const phone = await server.pair(ann, { platform: 'simulator' })

let numbers = 67_000_000
const nextNumber = () => `+4915${numbers++}`
const record = (collection: string, values: object) =>
  must(ann, 'POST', `/api/collections/${collection}/records`, { user: ann.id, ...values })
const HOUR_MS = 3_600_000
const report = (number: string, body: string, hoursAgo: number) =>
  must(phone, 'POST', '/api/devices/incoming', {
    items: [
      { from: number, body, received_at: new Date(Date.now() - hoursAgo * HOUR_MS).toISOString() },
    ],
  })
async function contactOf(number: string) {
  const find = 'select opted_out, groups from contacts where phone = $1 and "user" = $2'
  return (await server.query(find, [number, ann.id]))[0]
}

test.each([
  ['a page', (number: string) => record('consents', { number, event: 'opt_out', source: 'page' })],
  ['the record API', (phone: string) => record('contacts', { phone, opted_out: true })],
])(
  'a START that arrived before an opt-out by %s and is reported later does not end it',
  async (_, stop) => {
    const number = nextNumber()
    await stop(number)
    await report(number, 'START', 1)
    expect(await contactOf(number)).toEqual([true, []])
    await report(number, 'START', 0)
    expect(await contactOf(number)).toEqual([false, []])
  },
)

test('a word that joins, which arrived before the person left and is reported later, does not add the person', async () => {
  const group = await record('contact_groups', { name: 'News', join_words: 'NEWS' })
  const other = await record('contact_groups', { name: 'Offers', join_words: 'OFFERS' })
  const number = nextNumber()
  await record('contacts', { phone: number })
  await record('consents', { number, group: group.id, event: 'opt_out', source: 'page' })
  await report(number, 'NEWS', 1)
  expect(await contactOf(number)).toEqual([false, []])
  await report(number, 'OFFERS', 1)
  expect(await contactOf(number)).toEqual([false, [other.id]])
  await report(number, 'NEWS', 0)
  expect(await contactOf(number)).toEqual([false, [other.id, group.id]])
})

test('a STOP and a later START that are both reported late opt the person in', async () => {
  const number = nextNumber()
  await report(number, 'STOP', 2)
  await report(number, 'START', 1)
  expect(await contactOf(number)).toEqual([false, []])
})

test('a STOP that is older than the present one, and is reported after it, does not move it', async () => {
  const number = nextNumber()
  await report(number, 'STOP', 2)
  await report(number, 'STOP', 4)
  await report(number, 'START', 3)
  expect(await contactOf(number)).toEqual([true, []])
  await report(number, 'START', 1)
  expect(await contactOf(number)).toEqual([false, []])
})

test('a STOP that is reported after a later opt-out by the record API does not take its place', async () => {
  const number = nextNumber()
  await record('contacts', { phone: number, opted_out: true })
  await report(number, 'STOP', 4)
  await report(number, 'START', 3)
  expect(await contactOf(number)).toEqual([true, []])
})

test('a person who has texted STOP and opts out on a page later stays out in spite of an older START', async () => {
  const number = nextNumber()
  await report(number, 'STOP', 3)
  const { store } = server.server.services
  for (let time = 0; time < 2; time++)
    await store.db.transaction((db) =>
      setOptedOut({ ...store, db }, ann.id, number, true, { source: 'page' }),
    )
  await report(number, 'START', 1)
  expect(await contactOf(number)).toEqual([true, []])
  const pages = `select count(*)::int from consents where number = $1 and source = 'page'`
  expect(await server.query(pages, [number])).toEqual([[1]])
})

test.each([
  ['START', 'STOP'],
  ['STOP', 'START'],
])(
  'a START of a clock that is far ahead does not end a STOP of the same report: %s, %s',
  async (...words) => {
    const number = nextNumber()
    await must(phone, 'POST', '/api/devices/incoming', {
      items: words.map((body) => ({
        from: number,
        body,
        received_at: body === 'START' ? '2099-01-01T00:00:00.000Z' : new Date().toISOString(),
      })),
    })
    expect(await contactOf(number)).toEqual([true, []])
  },
)

test('of a STOP and a START by one clock that is far ahead, the later one counts', async () => {
  const number = nextNumber()
  await must(phone, 'POST', '/api/devices/incoming', {
    items: ['STOP', 'START'].map((body, i) => ({
      from: number,
      body,
      received_at: `2099-01-01T00:00:0${i}Z`,
    })),
  })
  expect(await contactOf(number)).toBeUndefined()
})
