import sharp from 'sharp'
import { must, startServerWithDevices } from '../../../support/server/server-with-devices.ts'
import { openMmsServer, SMALL } from './mms-fixture.ts'

// What may be in the files of a send, and what of it leaves.

const server = await startServerWithDevices()
const { makeShop, sendForm, claim, fetchLink } = openMmsServer(server)
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

const HEIC = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1')

test.each([
  ['an empty file', Buffer.alloc(0), 'is empty'],
  ['a picture of an iPhone', HEIC, 'image/heic, which cannot be sent. Send pictures (JPEG, PNG,'],
])('%s is refused with its reason', async (_, file, reason) => {
  const { user } = await makeShop()
  expect(await sendForm(user, { recipients: TO }, [file])).toMatchObject({
    status: 400,
    body: { error: 'invalid_request', message: expect.stringContaining(reason) },
  })
})

test('an address that is none is refused as such', async () => {
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
