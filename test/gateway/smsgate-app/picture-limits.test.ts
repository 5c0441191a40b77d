import type { Client } from '../../support/server/server-with-devices.ts'
import type { Phone } from '../../support/smsgate/smsgate-app.ts'
import {
  joinPhone,
  records,
  startSmsgateFixture,
  until,
} from '../../support/smsgate/smsgate-fixture.ts'
import { joinMmsPhone, MB, makeFileSender } from './file-fixture.ts'

// What a phone gets of MMS: within what its app can keep, and never as a text without its picture.

const fixture = await startSmsgateFixture({ SMS_MMS_MAX_BYTES: String(2 * MB) })
const { gateway } = fixture
const sendFile = makeFileSender(gateway.url)

interface Wire {
  readonly id: string
  readonly textMessage?: object
  readonly message?: string
  readonly mmsMessage?: { readonly attachments: readonly { readonly data: string }[] }
}
const pull = async (phone: Phone): Promise<Wire[]> => (await phone.call('GET', '/message')).body
const messageOf = async (user: Client, id: string) => (await records(user, `id = "${id}"`))[0]
const linesOf = async (user: Client) =>
  (await user.call('GET', '/api/collections/lines/records')).body.items

const joinAndPull = (user: Client, version: string) => joinMmsPhone(fixture, user, version)

test('an MMS has its subject, its words and its files, and no field of an SMS', async () => {
  const user = await gateway.makeUser()
  const phone = await joinAndPull(user, '1.74.1')
  expect((await linesOf(user))[0].mms).toBe('on')
  await sendFile(user, 0, 1_000)
  const [mms] = await pull(phone)
  expect(mms).toMatchObject({
    mmsMessage: {
      subject: 'Shop',
      text: 'Your parcel',
      attachments: [{ contentType: 'application/pdf', name: expect.stringMatching(/\.pdf$/) }],
    },
  })
  expect(mms).not.toHaveProperty('textMessage')
  expect(mms).not.toHaveProperty('message')
})

test('an older app gets no MMS, which then waits for a line that sends MMS', async () => {
  const user = await gateway.makeUser()
  const phone = await joinAndPull(user, '1.74.1')
  const id = await sendFile(user, 1, 1_000)
  const old = await joinPhone(fixture, user, { version: '1.73.0' })
  old.store.registration = phone.store.registration
  expect(await pull(old)).toEqual([])
  expect((await linesOf(user))[0].mms).toBe('')
  await until(async () => (await messageOf(user, id)).status === 'pending')
  expect((await messageOf(user, id)).waiting_for).toBe('room')
  expect(await pull(old)).toEqual([])
})

test('an MMS that may have left by a newer app is not given back', async () => {
  const user = await gateway.makeUser()
  const phone = await joinAndPull(user, '1.74.1')
  const id = await sendFile(user, 2, 1_000)
  expect(await pull(phone)).toHaveLength(1)
  const old = await joinPhone(fixture, user, { version: '1.73.0' })
  old.store.registration = phone.store.registration
  expect(await pull(old)).toEqual([])
  expect((await messageOf(user, id)).status).toBe('sending')
})

test('an MMS that the app could not keep is not given to it', async () => {
  const user = await gateway.makeUser()
  const phone = await joinAndPull(user, '1.75.0')
  const id = await sendFile(user, 3, 1.5 * MB)
  expect(await pull(phone)).toEqual([])
  expect((await messageOf(user, id)).status).toBe('assigned')
})
