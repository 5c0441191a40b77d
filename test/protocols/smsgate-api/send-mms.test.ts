import { makePhoto } from '../../support/pictures.ts'
import { ANN } from '../../support/server/server-with-users.ts'
import { startSmsgateApiFixture } from '../../support/smsgate/smsgate-api-fixture.ts'

// Bodies as SMSGate's client libraries write them (client-go 1.15, Python 4.3.3).

const { ask, server } = await startSmsgateApiFixture()
const picture = await makePhoto('gnome')
await server.rows(`update lines set mms = 'on' where "user" = $1`, [ANN.id])

const send = (mmsMessage: object, more: object = {}) =>
  ask('POST', '/messages', { phoneNumbers: ['+4911111'], priority: 0, mmsMessage, ...more })
const attachment = {
  contentType: 'image/png',
  name: 'parcel.png',
  data: picture.toString('base64'),
}

test('a picture is stored with its subject and text', async () => {
  const { status, body } = await send({ subject: 'Shop', text: 'Hi', attachments: [attachment] })
  expect([status, body.state]).toEqual([202, 'Pending'])
  expect(await server.message(body.id)).toMatchObject({
    subject: 'Shop',
    body: 'Hi',
    segments: 0,
    attachments: [expect.stringMatching(/^parcel_\w+\.png$/)],
  })
})

test('a message with a text only leaves as a text', async () => {
  const { body } = await send({ text: 'Hi' })
  expect(await server.message(body.id)).toMatchObject({ body: 'Hi', segments: 1, attachments: [] })
})

test.each([
  [{ subject: 'Shop' }, 'Shop'],
  [{ subject: 'Shop', text: 'Hi' }, 'Shop\nHi'],
  [{ subject: 'Shop', text: 'Hi', attachments: [] }, 'Shop\nHi'],
  [{ subject: '', text: 'Hi', attachments: null }, 'Hi'],
  [{ subject: 'Shop', text: '' }, 'Shop'],
])('the message %j without files leaves as the text %j', async (message, body) => {
  const sent = await send(message)
  expect(await server.message(sent.body.id)).toMatchObject({ body, subject: '', attachments: [] })
})

test.each([
  ['with nothing', {}, /required/],
  ['with no base64', { attachments: [{ ...attachment, data: '?' }] }, /base64/],
  ['with no picture', { attachments: [{ ...attachment, data: 'AAECAwQF' }] }, /cannot be sent/],
])('an MMS %s is refused', async (_, mmsMessage, message) => {
  expect(await send(mmsMessage)).toMatchObject({
    status: 400,
    body: { message: expect.stringMatching(message) },
  })
})

test('an MMS beside a text is refused', async () => {
  expect(await send({ text: 'x' }, { textMessage: { text: 'y' } })).toMatchObject({ status: 400 })
})
