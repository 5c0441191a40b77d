import { makeCampaignPermit } from '../../../src/gateway/campaigns/campaign.ts'
import { makeOffer } from '../../../src/gateway/messages/send/prepare-offer.ts'
import { PLAIN_OPTIONS } from '../../../src/gateway/messages/send/send-options.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'

const server = await startServerWithDevices()
const ann: Client = await server.makeUser()
const phone = await server.pair(ann)

let numbers = 97_000_000
const nextNumber = () => `+4915${numbers++}`
const record = (collection: string, values: object) =>
  must(ann, 'POST', `/api/collections/${collection}/records`, { user: ann.id, ...values })
const makeGroup = async () => String((await record('contact_groups', { name: nextNumber() })).id)
const makeMember = async (...groups: string[]) => {
  const number = nextNumber()
  await record('contacts', { phone: number, groups })
  return number
}
const leave = (number: string, group: string) =>
  record('consents', { number, group, event: 'opt_out' })

/** Makes a campaign to groups. Returns what the campaign stores of a chunk that it planned earlier. */
async function storeChunk(groups: readonly string[], phones: readonly string[]) {
  const scheduled_at = '2090-01-01T00:00:00Z'
  const plan = { recipients: [nextNumber()], group_ids: groups, body: 'Sale', scheduled_at }
  const { id } = await must(ann, 'POST', '/api/campaigns', plan)
  const isSettled = async () =>
    (await server.query('select settled from campaigns where id = $1', [id]))[0]![0]
  await until('the campaign is stored', isSettled)
  const batch = `chunk${id.slice(5)}`
  const { outcome } = await server.server.services.sending.acceptor.add({
    ...makeOffer({
      permit: makeCampaignPermit({ user: ann.id, id }),
      options: { ...PLAIN_OPTIONS, isBulk: true, scheduledAt: '2090-01-01 00:00:00.000Z' },
      texts: phones.map((to) => ({ to, body: 'Sale', segments: 1 })),
      words: 'Sale',
      batch,
      scope: { template: '', groups },
    }),
    later: true,
  })
  expect(outcome).toBe('accepted')
  const stored = await server.query(
    'select "to", status, error_message from sms_messages where batch_id = $1',
    [batch],
  )
  return Object.fromEntries(stored.map(([to, ...rest]) => [to, rest.join(' ')]))
}

const OUT = 'failed Recipient has opted out'

test('a campaign neither stores nor charges an open text for a person who left its group after the plan', async () => {
  const group = await makeGroup()
  const [stays, leaves] = [await makeMember(group), await makeMember(group)]
  await leave(leaves, group)
  const used = async () => (await must(ann, 'GET', '/api/sms/usage')).used
  const before = await used()
  expect(await storeChunk([group], [stays, leaves])).toEqual({ [stays]: 'pending ', [leaves]: OUT })
  // the person of the plan, the member of its group, and the chunk
  expect(await used()).toBe(before + 3)
})

test('a campaign texts a person who left one of its groups and is in another', async () => {
  const [one, two] = [await makeGroup(), await makeGroup()]
  const number = await makeMember(one, two)
  await leave(number, one)
  expect(await storeChunk([one, two], [number])).toEqual({ [number]: 'pending ' })
  expect(await storeChunk([one], [number])).toEqual({ [number]: OUT })
  await leave(number, two)
  expect(await storeChunk([one, two], [number])).toEqual({ [number]: OUT })
})

test('a campaign texts a member of its group who texted START after STOP', async () => {
  const group = await makeGroup()
  const number = await makeMember(group)
  await record('consents', { number, group, event: 'opt_in', shown: 'Yes' })
  await server.hear(phone, [[number, 'STOP']])
  expect(await storeChunk([group], [number])).toEqual({ [number]: OUT })
  await server.hear(phone, [[number, 'START']])
  expect(await storeChunk([group], [number])).toEqual({ [number]: 'pending ' })
})

test('neither a campaign nor a send texts a person whom an import puts back into a group that the person left', async () => {
  const group = await makeGroup()
  const [stays, left] = [await makeMember(group), await makeMember(group)]
  await leave(left, group)
  await server.query('update contacts set groups = array[$1::text] where phone = $2', [group, left])
  const to = { recipients: [], group_ids: [group], body: 'Sale' }
  const preview = await must(ann, 'POST', '/api/campaigns/preview', to)
  expect(preview).toMatchObject({ recipients_count: 1, first: { to: stays } })
  expect(await must(ann, 'POST', '/api/sms/preview', to)).toMatchObject({
    recipients_count: 2,
    opted_out: 1,
  })
  const { message_ids } = await must(ann, 'POST', '/api/sms/send', to)
  const found = await server.query(
    'select "to", error_message from sms_messages where id = any($1::text[]) order by "to"',
    [message_ids],
  )
  expect(found).toEqual([
    [stays, ''],
    [left, 'Recipient has opted out'],
  ])
  const direct = await must(ann, 'POST', '/api/sms/send', {
    recipients: [left],
    body: 'Your parcel is here',
  })
  const errors = 'select error_message from sms_messages where id = $1'
  expect(await server.query(errors, direct.message_ids)).toEqual([['']])
})

test('a campaign that was planned before an erasure stores no row with the number', async () => {
  const group = await makeGroup()
  const [erased, other] = [nextNumber(), await makeMember(group)]
  const { id } = await must(ann, 'POST', '/api/person/erase', { number: erased, reason: 'Asked' })
  await expect
    .poll(
      async () => (await must(ann, 'GET', `/api/collections/person_requests/records/${id}`)).state,
    )
    .toBe('done')
  expect(await storeChunk([group], [erased, other])).toEqual({ [other]: 'pending ' })
  expect(await storeChunk([group], [erased])).toEqual({})
  expect(await server.query('select 1 from sms_messages where "to" = $1', [erased])).toEqual([])
})
