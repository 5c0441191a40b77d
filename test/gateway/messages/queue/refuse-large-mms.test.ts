import { upsertSuperuser } from '../../../../src/engine/auth/superusers.ts'
import { createLogger } from '../../../../src/platform/log.ts'
import { runServer } from '../../../support/database/open.ts'
import {
  type Client,
  client,
  must,
  withDevices,
} from '../../../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../../../support/server/start.ts'
import { until } from '../../../support/until.ts'
import { openMmsServer, SMALL } from '../send/mms-fixture.ts'

// A server starts with a lower limit for the files of an MMS than the one that prepared those in its queue.

const config = await testConfig({}, 'prepared')
const first = await runServer(config, createLogger(config))
await upsertSuperuser(first.services.store, SUPERUSER.email, SUPERUSER.password)
const before = await withDevices(first)
const { makeShop, sendForm, claim } = openMmsServer(before)
const LOWER = SMALL.length - 1
const REASON = 'The files are too large for an MMS'
const TO = '+4915112345678'
const later = () => new Date(Date.now() + 3_600_000).toISOString()

type Shop = Awaited<ReturnType<typeof makeShop>>
const send = async ({ user }: Shop, fields: Record<string, string> = {}, files = [SMALL]) =>
  String((await sendForm(user, { recipients: TO, ...fields }, files)).body.message_ids[0])
const report = (phone: Client, how: object) => async (items: { id: string; attempt: number }[]) =>
  must(phone, 'POST', '/api/devices/report', {
    items: items.map(({ id, attempt }) => ({ id, attempt, ...how })),
  })
const giveBack = { status: 'failed', error_message: 'No signal', not_sent: true }

/** Shops whose MMS wait in each way, with the ids of these. */
const [scheduled, waiting, returned, fetched, sent, failed, small, linked] = [
  await makeShop(),
  await makeShop(),
  await makeShop(),
  await makeShop(),
  await makeShop(),
  await makeShop(),
  await makeShop(),
  await makeShop(),
] as const
const ids = {
  scheduled: await send(scheduled, { scheduled_at: later() }),
  waiting: await send(waiting),
  returned: await send(returned),
  fetched: await send(fetched),
  sent: await send(sent),
  failed: await send(failed),
  text: '',
  linked: '',
}
await report(returned.phone, giveBack)(await claim(returned.phone))
const ofFetched = await claim(fetched.phone)
const ofSent = await claim(sent.phone)
await report(failed.phone, { status: 'failed' })(await claim(failed.phone))
ids.text = (
  await must(small.user, 'POST', '/api/sms/send', { recipients: [TO], body: 'Hello' })
).message_ids[0]
await must(linked.user, 'PATCH', `/api/collections/lines/records/${linked.line}`, { mms: 'off' })
ids.linked = await send(linked, { mms: 'or_link' })
await first.stop()

const second = await runServer({ ...config, mmsMaxBytes: LOWER }, createLogger(config))
const after = await withDevices(second)
const { claim: claimAfter, findMessage } = openMmsServer(after)
/** The shop at the server that runs now. */
const move = ({ user, phone, line }: Shop): Shop => ({
  user: { ...client(second.url, user.id, user.token), email: '' } as Shop['user'],
  phone: client(second.url, phone.id, phone.token),
  line,
})

test.each([
  ['scheduled', scheduled, ids.scheduled],
  ['waiting for its phone', waiting, ids.waiting],
  ['given back by its phone', returned, ids.returned],
])('an MMS that is %s fails, costs nothing, and a retry prepares it anew', async (_, shop, id) => {
  const { user, phone } = move(shop)
  expect(await findMessage(user, id)).toMatchObject({ status: 'failed', error_message: REASON })
  expect((await must(user, 'GET', '/api/sms/usage')).used).toBe(0)
  expect(await claimAfter(phone)).toEqual([])
  await must(user, 'POST', `/api/sms/messages/${id}/retry`, {})
  const [item] = await claimAfter(phone)
  expect(item.attachments[0].size).toBeLessThanOrEqual(LOWER)
})

test('an MMS that a phone has fetched fails when the phone gives it back', async () => {
  const { user, phone } = move(fetched)
  expect(await claimAfter(phone)).toEqual([])
  expect(await findMessage(user, ids.fetched)).toMatchObject({ status: 'sending' })
  await report(phone, giveBack)(ofFetched)
  await until(
    'it has failed',
    async () => (await findMessage(user, ids.fetched)).status === 'failed',
  )
  expect(await findMessage(user, ids.fetched)).toMatchObject({ error_message: REASON })
  expect((await must(user, 'GET', '/api/sms/usage')).used).toBe(0)
})

test('an MMS that a phone has sent meanwhile is sent', async () => {
  const { user, phone } = move(sent)
  await report(phone, { status: 'sent' })(ofSent)
  expect(await findMessage(user, ids.sent)).toMatchObject({ status: 'sent', error_message: '' })
})

test('an MMS that failed before is prepared anew by a retry', async () => {
  const { user, phone } = move(failed)
  await must(user, 'POST', `/api/sms/messages/${ids.failed}/retry`, {})
  const [item] = await claimAfter(phone)
  expect(item.attachments[0].size).toBeLessThanOrEqual(LOWER)
})

test('a text without files and a text with links leave unchanged', async () => {
  expect(await claimAfter(move(small).phone)).toMatchObject([{ id: ids.text, body: 'Hello' }])
  expect(await claimAfter(move(linked).phone)).toMatchObject([{ id: ids.linked }])
})
