import { makePhoto, servePicture } from '../../support/pictures.ts'
import { must } from '../../support/server/server-with-devices.ts'
import { pairPhone, startTwilioFixture } from '../../support/twilio/twilio-fixture.ts'

const NUMBER = '+4915550000001'
const fixture = await startTwilioFixture()
const ann = await fixture.makeUser()
const phone = await pairPhone(fixture, ann, NUMBER)
const picture = await makePhoto('whatsapp')
const pictures = await servePicture(picture)
const { items } = await must(ann.user, 'GET', '/api/collections/lines/records')
await must(ann.user, 'PATCH', `/api/collections/lines/records/${items[0].id}`, { mms: 'on' })

/** A form with a MediaUrl for each address, as Twilio's libraries write it. */
const sendMedia = (urls: readonly string[], more: Record<string, string> = {}) => {
  const body = new URLSearchParams({ To: '+4915112345678', ...more })
  for (const url of urls) body.append('MediaUrl', url)
  return ann.raw('POST', `/2010-04-01/Accounts/${ann.sid}/Messages.json`, { body })
}

test('two pictures leave as one MMS, and are the message’s media', async () => {
  const { status, body } = await sendMedia([`${pictures.url}/a.jpg`, `${pictures.url}/b.jpg`], {
    Body: 'Parcel',
  })
  expect(status).toBe(201)
  expect(body).toMatchObject({
    num_media: '2',
    num_segments: '0',
    body: 'Parcel',
    status: 'queued',
  })
  const { media_list: media } = (await ann.ask('GET', `Messages/${body.sid}/Media.json`)).body
  expect(media).toMatchObject([{ content_type: 'image/jpeg' }, { content_type: 'image/jpeg' }])
  const claimed = (await must(phone, 'POST', '/api/devices/claim', { mms: true })).items
  expect(claimed).toMatchObject([
    { body: 'Parcel', attachments: [{ size: picture.length }, { size: picture.length }] },
  ])
})

test('a picture needs no Body', async () => {
  expect(await sendMedia([`${pictures.url}/c.jpg`])).toMatchObject({
    status: 201,
    body: { num_media: '1' },
  })
})

test.each([
  ['that cannot be fetched', ['/missing.jpg'], 21620],
  ['more than ten times', Array(11).fill('/a.jpg'), 21623],
])('a MediaUrl %s is refused', async (_, paths, code) => {
  const urls = paths.map((path: string) => pictures.url + path)
  expect(await sendMedia(urls, { Body: 'x' })).toMatchObject({ status: 400, body: { code } })
})

test('a file of another account is no MediaUrl', async () => {
  expect(await sendMedia(['k3v9x0c2m5n8b1a/secret.jpg'])).toMatchObject({ body: { code: 21620 } })
})

const service = { From: '', MessagingServiceSid: `MG${ann.sid.slice(2)}` }

test('parameters of Twilio’s newest libraries are accepted', async () => {
  const more = { FallbackFrom: NUMBER, ApplicationSid: 'AP1', PersistentAction: 'geo:1,1' }
  expect((await ann.send({ ...service, ...more })).status).toBe(201)
})

test.each([
  ['beside a From', { From: NUMBER, FallbackFrom: NUMBER }, 21664],
  ['of another form', { ...service, FallbackFrom: 'rcs:shop' }, 21665],
  ['without a service', { From: '', FallbackFrom: NUMBER }, 21666],
])('a FallbackFrom %s is refused', async (_, more, code) => {
  expect(await ann.send(more)).toMatchObject({ status: 400, body: { code } })
})
