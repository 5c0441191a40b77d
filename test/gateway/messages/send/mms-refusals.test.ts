import { must, startServerWithDevices } from '../../../support/server/server-with-devices.ts'
import { startReceiver } from '../../../support/services/receiver.ts'
import { openMmsServer, SMALL } from './mms-fixture.ts'

// What an MMS has in common with texts: opt-outs, quotas, accounts, webhooks. A refused one leaves no file.

const server = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const { makeShop, sendForm, claim, fetchLink, findMessage, countFiles } = openMmsServer(server)
const TO = '+4915112345678'

test('a quota counts an MMS as one message, and one beyond it leaves no file', async () => {
  const { user } = await makeShop()
  const quota = { monthly_quota: 1 }
  await must(server.superuser, 'PATCH', `/api/collections/users/records/${user.id}`, quota)
  expect((await sendForm(user, { recipients: TO, body: 'x' }, [SMALL, SMALL])).status).toBe(200)
  expect(await countFiles(user)).toBe(2)
  expect(await sendForm(user, { recipients: TO, body: 'x' }, [SMALL])).toMatchObject({
    status: 402,
    body: { error: 'quota_exceeded' },
  })
  expect(await countFiles(user)).toBe(2)
})

test('a recipient who has opted out gets no MMS', async () => {
  const { user, phone } = await makeShop()
  await must(user, 'POST', '/api/collections/contacts/records', {
    user: user.id,
    phone: TO,
    opted_out: true,
  })
  const recipients = [TO, '+4915112345679']
  const { body } = await sendForm(user, { recipients, body: 'x' }, [SMALL])
  const statuses = body.message_ids.map((id: string) => findMessage(user, id))
  expect(await Promise.all(statuses)).toMatchObject([{ status: 'failed' }, { status: 'assigned' }])
  expect(await claim(phone)).toMatchObject([{ to: recipients[1] }])
})

test('an account sees no file of another account', async () => {
  const [shop, stranger] = [await makeShop(), await makeShop()]
  const { body } = await sendForm(shop.user, { recipients: TO, body: 'x' }, [SMALL])
  const [id] = body.message_ids
  const [name] = (await findMessage(shop.user, id)).attachments
  const asked = async ({ user }: typeof shop) => {
    const { token } = await must(user, 'POST', '/api/files/token')
    return fetch(`${server.url}/api/files/sms_messages/${id}/${name}?token=${token}`)
  }
  expect((await asked(shop)).status).toBe(200)
  expect((await asked(stranger)).status).toBe(404)
  expect((await stranger.user.call('POST', `/api/sms/messages/${id}/retry`, {})).status).toBe(404)
  expect(await claim(stranger.phone)).toEqual([])
})

test('the event of an MMS has links to its files', async () => {
  const receiver = await startReceiver()
  onTestFinished(() => receiver.stop())
  const { user, phone } = await makeShop()
  await must(user, 'POST', '/api/collections/webhooks/records', {
    user: user.id,
    url: receiver.url,
    events: ['message.sent'],
    enabled: true,
  })
  await sendForm(user, { recipients: TO, body: 'x', subject: 'Shop' }, [SMALL])
  const [{ id, attempt }] = await claim(phone)
  await must(phone, 'POST', '/api/devices/report', { items: [{ id, attempt, status: 'sent' }] })
  const [call] = await receiver.heard(1)
  const { event } = call!
  expect(event).toMatchObject({
    data: { id, subject: 'Shop', segments: 0 },
    files: [{ type: 'image/jpeg', size: SMALL.length }],
  })
  expect(await fetchLink(event.files[0].url)).toEqual(SMALL)
})
