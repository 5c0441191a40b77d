import { NO_PROOF, startConsentFixture } from '../../support/consent-fixture.ts'
import { FORGET_CONSENTS } from '../../support/database/forget-consents.ts'
import { must } from '../../support/server/server-with-devices.ts'

const { server, ann, record, nextNumber, agree, send, outcomes } = await startConsentFixture()
const WAITS = expect.stringMatching(/^(assigned|sending)/)
const patch = (collection: string, id: string) =>
  must(ann, 'PATCH', `/api/collections/${collection}/records/${id}`, { requires_consent: true })
async function fail(ids: readonly string[]) {
  await server.query('delete from sms_dispatch where message = any($1::text[])', [ids])
  await server.query(
    `update sms_messages set status = 'failed', error_message = 'No signal' where id = any($1::text[])`,
    [ids],
  )
}
const retryOne = (id: string) => must(ann, 'POST', `/api/sms/messages/${id}/retry`)
const retryBatch = (id: string) => must(ann, 'POST', `/api/sms/batches/${id}/retry`)

test('a text that is sent again, and again, requires the consent that its template requires now', async () => {
  const template = await record('sms_templates', { name: nextNumber(), body: 'Sale' })
  const number = nextNumber()
  const first = await send('send-template', { recipients: [number], template_id: template.id })
  await fail(first.message_ids)
  const second = await retryOne(first.message_ids[0])
  expect(await outcomes(second.message_ids)).toEqual({ [number]: WAITS })
  await fail(second.message_ids)
  await patch('sms_templates', template.id)
  const third = await retryOne(second.message_ids[0])
  expect(await outcomes(third.message_ids)).toEqual({ [number]: `failed ${NO_PROOF}` })
})

test('a batch that is sent again, and again, requires the consent that its group requires now', async () => {
  const open = (await record('contact_groups', { name: nextNumber() })).id
  const people = [nextNumber(), nextNumber(), nextNumber()] as const
  for (const phone of people) await record('contacts', { phone, groups: [open] })
  const first = await send('send', { recipients: [], group_ids: [open], body: 'News' })
  await fail(first.message_ids)
  const second = await retryBatch(first.batch_id)
  expect(Object.keys(await outcomes(second.message_ids)).sort()).toEqual(people.toSorted())
  await fail(second.message_ids)
  await patch('contact_groups', open)
  await agree(people[0], { group: open })
  await record('consents', { number: people[1], group: open, event: 'opt_out' })
  const third = await retryBatch(second.batch_id)
  expect(await outcomes(third.message_ids)).toEqual({ [people[0]]: WAITS })
  expect(third.left_out).toMatchObject({ opted_out: 1, no_consent: 1 })
})

test('a text that is sent again requires the consent that its first send required by itself', async () => {
  const number = nextNumber()
  const { id } = await record('contacts', { phone: number })
  await agree(number)
  const first = await send('send', { recipients: [number], body: 'Sale', requires_consent: true })
  await fail(first.message_ids)
  for (const opted_out of [true, false])
    await must(ann, 'PATCH', `/api/collections/contacts/records/${id}`, { opted_out })
  const second = await retryOne(first.message_ids[0])
  expect(await outcomes(second.message_ids)).toEqual({ [number]: `failed ${NO_PROOF}` })
})

test('a text that is sent again requires the consent that its template required when it was first sent', async () => {
  const values = { name: nextNumber(), body: 'Sale', requires_consent: true }
  const template = await record('sms_templates', values)
  const number = nextNumber()
  await agree(number)
  const first = await send('send-template', { recipients: [number], template_id: template.id })
  await fail(first.message_ids)
  await server.query(`${FORGET_CONSENTS} and number = $1`, [number])
  await must(ann, 'PATCH', `/api/collections/sms_templates/records/${template.id}`, {
    requires_consent: false,
  })
  const second = await retryOne(first.message_ids[0])
  expect(await outcomes(second.message_ids)).toEqual({ [number]: `failed ${NO_PROOF}` })
})

test('texts to numbers in a form that is no longer stored are sent again to the stored form', async () => {
  const recipients = [nextNumber(), nextNumber()]
  const { batch_id, message_ids } = await send('send', { recipients, body: 'Hi' })
  await fail(message_ids)
  const change = `update sms_messages set "to" = replace("to", '+49', '+490') where id = any($1::text[])`
  await server.query(change, [message_ids])
  const one = await retryOne(message_ids[0])
  const others = await retryBatch(batch_id)
  const again = await outcomes([...one.message_ids, ...others.message_ids])
  expect(Object.keys(again).toSorted()).toEqual(recipients)
})
