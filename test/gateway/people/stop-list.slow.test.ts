import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { ended } from './person-fixture.ts'

const gateway = await startServerWithDevices()
const ann = await gateway.makeUser()
const phone = await gateway.pair(ann, { platform: 'simulator' })
const STOPPED = 'Recipient is on the stop list'

let numbers = 60_000_000
const nextNumber = () => `+4915${numbers++}`
const record = (collection: string, values: object) =>
  must(ann, 'POST', `/api/collections/${collection}/records`, { user: ann.id, ...values })

async function erased(by: Client = ann): Promise<string> {
  const number = nextNumber()
  const { id } = await must(by, 'POST', '/api/person/erase', { number, reason: 'Asked' })
  expect(await ended(by, id)).toMatchObject({ state: 'done' })
  return number
}
const reasonsOf = async (ids: readonly string[]) =>
  (
    await gateway.query(
      'select error_message from sms_messages where id = any($1::text[]) order by _rowid',
      [ids],
    )
  ).flat()
async function reasonOfSend(number: string, more: object = {}) {
  const { message_ids } = await must(ann, 'POST', '/api/sms/send', {
    recipients: [number],
    body: 'Hi',
    ...more,
  })
  return (await reasonsOf(message_ids))[0]
}

test('a text to an erased person fails, costs no quota and cannot be retried', async () => {
  const number = await erased()
  const used = async () => (await must(ann, 'GET', '/api/sms/usage')).used
  const before = await used()
  const other = nextNumber()
  const { message_ids } = await must(ann, 'POST', '/api/sms/send', {
    recipients: [number, other],
    body: 'Hi',
  })
  expect(await reasonsOf(message_ids)).toEqual([STOPPED, ''])
  expect(await used()).toBe(before + 1)
  expect((await ann.call('POST', `/api/sms/messages/${message_ids[0]}/retry`, {})).status).toBe(409)
  // the request names the person anew, and another erasure finds it
  const find = () => gateway.query('select body from sms_messages where "to" = $1', [number])
  expect(await find()).toEqual([['Hi']])
  const { id } = await must(ann, 'POST', '/api/person/erase', { number, reason: 'Asked' })
  await ended(ann, id)
  expect(await find()).toEqual([])
})

test('importing the person with an old consent does not lift the stop', async () => {
  const number = await erased()
  await record('contacts', { phone: number, name: 'Old' })
  await record('consents', { number, event: 'imported', source: 'import', shown: 'Yes, please' })
  await record('consents', {
    number,
    event: 'opt_in',
    given_at: '2020-01-01 00:00:00.000Z',
    shown: 'Yes',
  })
  await record('consents', { number, event: 'opt_in', source: 'api' })
  expect(await reasonOfSend(number)).toBe(STOPPED)
  const scheduled_at = '2090-01-01T00:00:00Z'
  expect(await reasonOfSend(number, { scheduled_at })).toBe(STOPPED)
})

test.each([
  ['texts START', (number: string) => gateway.hear(phone, [[number, 'START']])],
  [
    'agrees on a page',
    (number: string) => record('consents', { number, event: 'opt_in', shown: 'Yes' }),
  ],
])('an erased person who %s gets texts again', async (_, agree) => {
  const number = await erased()
  await agree(number)
  expect(await reasonOfSend(number)).toBe('')
  expect((await must(ann, 'POST', '/api/person/erase', { number, preview: true })).stopped).toBe(
    false,
  )
})

test.each(['START', 'OFFERS'])(
  '%s that a phone received before the erasure, and reports after it, lifts no stop',
  async (body) => {
    if (body === 'OFFERS')
      await record('contact_groups', { name: body, join_words: body, join_confirm: true })
    const number = await erased()
    const received_at = new Date(Date.now() - 600_000).toISOString()
    await must(phone, 'POST', '/api/devices/incoming', {
      items: [{ from: number, body, received_at }],
    })
    expect(await reasonOfSend(number)).toBe(STOPPED)
  },
)

test('an erased person who texts a word that joins gets the question, and texts after the answer', async () => {
  const group = await record('contact_groups', {
    name: 'News',
    join_words: 'NEWS',
    join_confirm: true,
  })
  const number = await erased()
  await gateway.hear(phone, [[number, 'NEWS']])
  const question = () =>
    gateway.query(
      `select error_message from sms_messages where "to" = $1 and client_ref like 'auto:%'`,
      [number],
    )
  await expect.poll(question).toEqual([['']])
  await gateway.hear(phone, [[number, 'YES']])
  const state = await gateway.query(
    'select state from consent_states where number = $1 and "group" = $2',
    [...[number, group.id]],
  )
  expect(state).toEqual([['given']])
  expect(await reasonOfSend(number)).toBe('')
})

test('an erased person who texts another word than START gets no automatic answer', async () => {
  const number = await erased()
  await record('auto_answers', { match: 'any', body: 'Soon' })
  await gateway.hear(phone, [[number, 'Hello']])
  expect(await reasonOfSend(number)).toBe(STOPPED)
  expect(
    await gateway.query(`select 1 from sms_messages where "to" = $1 and error_message = ''`, [
      number,
    ]),
  ).toEqual([])
})

test('a campaign leaves out an erased person, also one who was erased after the plan', async () => {
  const [before, after, other] = [await erased(), nextNumber(), nextNumber()]
  const plan = { recipients: [before, after, other], body: 'Sale', name: 'Sale' }
  const preview = await must(ann, 'POST', '/api/campaigns/preview', plan)
  expect(preview.recipients_count).toBe(2)
  const campaign = await must(ann, 'POST', '/api/campaigns', {
    ...plan,
    scheduled_at: '2090-01-01T00:00:00Z',
  })
  const { id } = await must(ann, 'POST', '/api/person/erase', { number: after, reason: 'Asked' })
  await ended(ann, id)
  const stored = () =>
    gateway.query(`select "to", status from sms_messages where sent_by = $1 order by "to"`, [
      campaign.id,
    ])
  await expect.poll(stored).toEqual(expect.arrayContaining([[other, 'pending']]))
  expect(
    JSON.stringify(
      await gateway.query('select c::text from campaigns c where id = $1', [campaign.id]),
    ),
  ).not.toContain(after)
  expect((await stored()).filter(([to, status]) => to !== other && status !== 'failed')).toEqual([])
})

test('a code to an erased person is refused', async () => {
  const answer = await ann.call('POST', '/api/verify', { to: await erased() })
  expect([answer.status, answer.body.error]).toEqual([403, 'recipient_opted_out'])
})

test('the list of one account stops no texts of another', async () => {
  const number = await erased(await gateway.makeUser())
  expect(await reasonOfSend(number)).toBe('')
})

test('the hashes of a number differ by account', async () => {
  const [[own, others]] = (await gateway.query(
    `select person_hash('a', '+4915112345678'), person_hash('b', '+4915112345678')`,
  )) as [[string, string]]
  expect(own).not.toBe(others)
  expect(
    await gateway.query('select count(*) from _stop_list where hash !~ $1', ['^[0-9a-f]{64}$']),
  ).toEqual([[0]])
})

test('deleting an account deletes its stop list', async () => {
  const user = await gateway.makeUser()
  await erased(user)
  await must(gateway.superuser, 'DELETE', `/api/collections/users/records/${user.id}`)
  expect(await gateway.query('select 1 from _stop_list where "user" = $1', [user.id])).toEqual([])
})
