import sharp from 'sharp'
import { box } from '../../../payloads/files/other-chunks.ts'
import { PHOTOS } from '../../../payloads/files/photos.ts'
import { writeManyScans } from '../../../payloads/files/worst-pictures.ts'
import { must, startServerWithDevices } from '../../../support/server/server-with-devices.ts'
import { openMmsServer, SMALL } from './mms-fixture.ts'

// What may be in the files of a send, and what of it leaves.

const server = await startServerWithDevices()
const { makeShop, sendForm, claim, fetchLink, findMessage } = openMmsServer(server)
const TO = '+4915112345678'

const PLACE = {
  IFD0: { Make: 'Acme' },
  IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '52/1 31/1 0/1' },
}
const XMP = '<x:xmpmeta xmlns:x="adobe:ns:meta/"></x:xmpmeta>'

test.each([
  ['a JPEG with EXIF data', () => sharp(SMALL).withExif(PLACE).jpeg()],
  ['a PNG with EXIF data', () => sharp(SMALL).withExif(PLACE).png()],
  ['a JPEG with XMP data', () => sharp(SMALL).withXmp(XMP).jpeg()],
])('%s leaves without them, and upright', async (_, make) => {
  const { user, phone } = await makeShop()
  const turned = await make().resize({ width: 80, height: 40 }).withMetadata({ orientation: 6 })
  await sendForm(user, { recipients: TO }, [await turned.toBuffer()])
  const [{ attachments }] = await claim(phone)
  const sent = await sharp(await fetchLink(attachments[0].url)).metadata()
  expect(sent).toMatchObject({ width: 40, height: 80 })
  expect(sent).not.toHaveProperty('exif')
  expect(sent).not.toHaveProperty('xmp')
})

const SENT = Object.entries(PHOTOS).filter(([name]) => name !== 'heic' && name !== 'iphone')

test.each(SENT)('the file %s leaves without what it tells, by MMS and by link', async (_, file) => {
  const { user, phone, line } = await makeShop()
  const given = await file.make()
  const first = await sendForm(user, { recipients: TO }, [given])
  expect(first.status).toBe(200)
  const [id] = first.body.message_ids
  const [{ attachments }] = await claim(phone)
  const leaving = [await fetchLink(attachments[0].url)]
  // the same file by the account's own messages, as a link
  await must(user, 'PATCH', `/api/collections/lines/records/${line}`, { mms: 'off' })
  const [name] = (await findMessage(user, id)).attachments
  const again = { recipients: [TO], attachments: [`${id}/${name}`], mms: 'or_link' }
  await must(user, 'POST', '/api/sms/send', again)
  await sendForm(user, { recipients: TO, mms: 'or_link' }, [given])
  for (const { body } of await claim(phone)) {
    // the first one is claimed again
    const [path] = /\/f\/[\w-]+/.exec(body) ?? []
    if (path) leaving.push(Buffer.from(await (await fetch(server.url + path)).arrayBuffer()))
  }
  expect(leaving).toHaveLength(3)
  for (const bytes of leaving)
    for (const told of file.tells) expect(bytes.includes(told, 0, 'latin1')).toBe(false)
  if (!('shown' in file)) return
  const { width, height, orientation = 1 } = await sharp(leaving[0]).metadata()
  expect([orientation, width! / height!]).toEqual([
    1,
    expect.closeTo(file.shown[0] / file.shown[1], 2),
  ])
})

test('a photo of 4 MB leaves upright, and small enough', async () => {
  const { user, phone } = await makeShop()
  const photo = await PHOTOS.iphone.make()
  expect((await sendForm(user, { recipients: TO }, [photo])).status).toBe(200)
  const [{ attachments }] = await claim(phone)
  expect(attachments[0].size).toBeLessThan(300 << 10)
  const { width, height } = await sharp(await fetchLink(attachments[0].url)).metadata()
  expect(width).toBeLessThan(height!)
})

test('a GIF moves as before, and a screenshot stays a PNG', async () => {
  const { user, phone } = await makeShop()
  await sendForm(user, { recipients: TO }, [await PHOTOS.gif.make(), await PHOTOS.mac.make()])
  const [{ attachments }] = await claim(phone)
  const [gif, png] = attachments
  expect(await sharp(await fetchLink(gif.url)).metadata()).toMatchObject({
    pages: 2,
    format: 'gif',
  })
  expect(await sharp(await fetchLink(png.url)).metadata()).toMatchObject({ format: 'png' })
})

test('a file that is given twice is sent twice, under two names', async () => {
  const { user, phone } = await makeShop()
  const { body } = await sendForm(user, { recipients: TO }, [SMALL, SMALL])
  const { attachments } = await findMessage(user, body.message_ids[0])
  expect(new Set(attachments).size).toBe(2)
  const [claimed] = await claim(phone)
  for (const { url } of claimed.attachments) expect(await fetchLink(url)).toEqual(SMALL)
})

const NARROW: readonly (readonly [string, string, Buffer | Promise<Buffer>])[] = [
  ['an animated PNG', 'image/png', PHOTOS.animatedPng.make()],
  [
    'a film of iTunes',
    'video/mp4',
    Buffer.concat([box('ftyp', 'M4V \0\0\0\0M4V mp42'), box('mdat', 'x')]),
  ],
  [
    'a film of CDMA phones',
    'video/3gpp2',
    Buffer.concat([box('ftyp', '3g2a\0\0\0\0'), box('mdat', 'x')]),
  ],
  [
    'a voice message of an iPhone',
    'audio/x-m4a',
    Buffer.concat([box('ftyp', 'M4A \0\0\0\0'), box('mdat', 'x')]),
  ],
  ['a voice message of an old phone', 'audio/amr', Buffer.from('#!AMR\n\x3c\x08')],
  ['a table', 'text/plain', Buffer.from('name,phone\nAnn,+491511\nBen,+491512\n')],
  ['JSON', 'text/plain', Buffer.from('{"table": 5}')],
  [
    'a note that begins as a mail',
    'text/plain',
    Buffer.from('To: Ann\nSubject: Milk\n\nTwo, please.\n'),
  ],
  ['a route', 'text/plain', Buffer.from('<?xml version="1.0"?>\n<gpx version="1.1"></gpx>')],
  ['subtitles', 'text/plain', Buffer.from('1\n00:00:01,000 --> 00:00:02,000\nHello\n')],
  ['a contact', 'text/vcard', Buffer.from('begin:vcard\nVERSION:3.0\nFN:Ann\nend:vcard\n')],
]

test.each(NARROW)('%s leaves as %s, whatever its sender calls it', async (_, type, made) => {
  const { user, phone } = await makeShop()
  const bytes = new Uint8Array(await made)
  for (const called of ['image/jpg', 'IMAGE/PJPEG', 'text/x-vcard; charset=binary', '']) {
    const form = new FormData()
    form.append('recipients', TO)
    form.append('attachments', new Blob([bytes], { type: called }), 'It’s mine.v2.DAT')
    const headers = { authorization: user.token }
    const answer = await fetch(`${server.url}/api/sms/send`, {
      method: 'POST',
      headers,
      body: form,
    })
    expect(answer.status).toBe(200)
  }
  const claimed = await claim(phone)
  expect(claimed).toHaveLength(4)
  for (const { attachments } of claimed) expect(attachments[0].type.split(';')[0]).toBe(type)
})

const HEIC = await PHOTOS.heic.make()

test.each([
  ['an empty file', Buffer.alloc(0), 'is empty'],
  ['a picture of an iPhone', HEIC, 'image/heic, which cannot be sent. Send pictures (JPEG, PNG,'],
  ['a web page', Buffer.from('<html><body>Sign in</body></html>'), 'text/html'],
  ['a drawing', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"></svg>'), 'image/svg+xml'],
  [
    'a film whose parts are broken',
    box('ftyp', 'mp42\0\0\0\0', box('moov', 'x')).subarray(0, 20),
    'are broken',
  ],
  [
    'a picture that takes long to decode',
    writeManyScans({ width: 4_896, height: 4_896 }, 300),
    'too many pixels',
  ],
])('%s is refused with its reason', async (_, file, reason) => {
  const { user } = await makeShop()
  expect(await sendForm(user, { recipients: TO }, [file])).toMatchObject({
    status: 400,
    body: { error: 'invalid_request', message: expect.stringContaining(reason) },
  })
})

test('an invalid address of a file is refused as such', async () => {
  const { user } = await makeShop()
  const attachments = ['https://']
  expect(await user.call('POST', '/api/sms/send', { recipients: [TO], attachments })).toMatchObject(
    { status: 400, body: { message: expect.stringContaining('is not an address') } },
  )
})

test('a form has the variables of a template as JSON', async () => {
  const { user, phone } = await makeShop()
  const template = await must(user, 'POST', '/api/collections/sms_templates/records', {
    user: user.id,
    name: 'Parcel',
    body: 'Hi {{who}}',
  })
  const send = async (variables: string) => {
    const form = new FormData()
    form.append('recipients', TO)
    form.append('template_id', template.id)
    form.append('variables', variables)
    form.append('attachments', new Blob([new Uint8Array(SMALL)]), 'a.jpg')
    const path = `${server.url}/api/sms/send-template`
    const headers = { authorization: user.token }
    return (await fetch(path, { method: 'POST', headers, body: form })).status
  }
  expect(await send('{"who":"Ann"}')).toBe(200)
  expect(await send('who: Ann')).toBe(400)
  expect(await claim(phone)).toMatchObject([{ body: 'Hi Ann', attachments: [{}] }])
})
