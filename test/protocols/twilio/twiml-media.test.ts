import { createServer } from 'node:http'
import { readTwimlAnswer } from '../../../src/protocols/twilio/twiml.ts'
import { makePhoto, servePicture } from '../../support/pictures.ts'
import { must } from '../../support/server/server-with-devices.ts'
import { listenLocally } from '../../support/services/listen.ts'
import {
  pairPhone,
  receive,
  startApp,
  startTwilioFixture,
} from '../../support/twilio/twilio-fixture.ts'
import { until } from '../../support/until.ts'
import { deliveriesOf } from '../../support/webhook-fixture.ts'

// Replies with pictures, as the TwiML builders of Twilio's libraries write them.

const NUMBER = '+4915550000001'
const fixture = await startTwilioFixture()
const ann = await fixture.makeUser()
const phone = await pairPhone(fixture, ann, NUMBER)
const app = await startApp()
const picture = await makePhoto('whatsapp')
const pictures = await servePicture(picture)
const [line] = (await must(ann.user, 'GET', '/api/collections/lines/records')).items
const setMms = (mms: 'on' | 'off') =>
  must(ann.user, 'PATCH', `/api/collections/lines/records/${line.id}`, { mms })
const [number] = (await ann.ask('GET', 'IncomingPhoneNumbers.json')).body.incoming_phone_numbers
await ann.ask('POST', `IncomingPhoneNumbers/${number.sid}.json`, { SmsUrl: `${app.url}/sms` })

let people = 20_000_000
let from: string
beforeEach(async () => {
  from = `+4917${people++}`
  await setMms('on')
})
afterEach(() => {
  app.calls.length = 0
})

/** The delivery of a text that the app answers with this document, and the replies that phones fetch. */
async function answerWith(document: string, type = 'text/xml') {
  app.answer(200, document.replaceAll('PICTURES', pictures.url), type)
  const id = await receive(phone, from, 'Hello')
  const last = async () => (await deliveriesOf(ann.user)).at(-1)
  await until('the call ends', async () => {
    const delivery = await last()
    return delivery?.message === id && delivery.status !== 'pending'
  })
  const { items } = await must(phone, 'POST', '/api/devices/claim', { mms: true, limit: 50 })
  return { delivery: await last(), items: items.filter(({ to }: { to: string }) => to === from) }
}

const NODE = '<?xml version="1.0" encoding="UTF-8"?>'
test.each<[string, string, string, number]>([
  [
    'of Node and Python, with a body and a picture',
    `${NODE}<Response><Message><Body>Menu</Body><Media>PICTURES/menu.jpg</Media></Message></Response>`,
    'Menu',
    1,
  ],
  [
    'with several pictures',
    `${NODE}<Response><Message><Body>Menu</Body><Media>PICTURES/1.jpg</Media><Media>PICTURES/2.jpg</Media></Message></Response>`,
    'Menu',
    2,
  ],
  [
    'with its text beside the picture',
    `<Response><Message>Menu<Media>PICTURES/menu.jpg</Media></Message></Response>`,
    'Menu',
    1,
  ],
  [
    'with the picture before the body, on lines of their own',
    `\ufeff${NODE}\n<Response>\n  <Message>\n    <Media>\n PICTURES/menu.jpg\n </Media>\n    <Body>Menu</Body>\n  </Message>\n</Response>`,
    'Menu',
    1,
  ],
  [
    'with an address that has an entity, and one in CDATA',
    `<Response><Message to=""><Body><![CDATA[A & B]]></Body><Media>PICTURES/a.jpg?x=1&amp;y=2</Media><Media><![CDATA[PICTURES/b.jpg?x=1&y=2]]></Media></Message></Response>`,
    'A & B',
    2,
  ],
  [
    'by the old name of the verb',
    `<Response><Sms><Body>Menu</Body><Media>PICTURES/menu.jpg</Media></Sms></Response>`,
    'Menu',
    1,
  ],
  [
    'with an empty Media',
    `<Response><Message><Body>Menu</Body><Media/></Message></Response>`,
    'Menu',
    0,
  ],
])('a reply %s is sent', async (_, document, text, count) => {
  const { delivery, items } = await answerWith(document)
  expect(delivery).toMatchObject({ status: 'delivered' })
  expect(items).toMatchObject([{ to: from, body: text }])
  expect(items[0].attachments ?? []).toHaveLength(count)
})

test('a reply of a picture alone is sent', async () => {
  const { items } = await answerWith(
    '<Response><Message><Media>PICTURES/menu.jpg</Media></Message></Response>',
  )
  expect(items).toMatchObject([{ attachments: [{ size: picture.length }] }])
  const { messages } = (await ann.ask('GET', `Messages.json?To=${encodeURIComponent(from)}`)).body
  expect(messages).toMatchObject([{ num_media: '1', direction: 'outbound-reply' }])
})

test('a text and an MMS are sent as two replies', async () => {
  const { items } = await answerWith(
    '<Response><Message>One</Message><Message><Body>Two</Body><Media>PICTURES/a.jpg</Media></Message></Response>',
  )
  expect(items).toMatchObject([{ body: 'One' }, { body: 'Two', attachments: [{}] }])
})

test.each<[string, string, string]>([
  [
    'a picture that cannot be fetched',
    '<Message><Body>x</Body><Media>PICTURES/missing.jpg</Media></Message>',
    '21620',
  ],
  ['an address that is none', '<Message><Media>ftp://example.com/a.jpg</Media></Message>', '21620'],
  [
    'a file of the account',
    '<Message><Media>file:k3v9x0c2m5n8b1a/a.jpg</Media></Message>',
    '21620',
  ],
  ['eleven pictures', `<Message>${'<Media>PICTURES/a.jpg</Media>'.repeat(11)}</Message>`, '21623'],
  [
    'eleven pictures in two messages',
    `<Message>${'<Media>PICTURES/a.jpg</Media>'.repeat(5)}</Message><Message>${'<Media>PICTURES/a.jpg</Media>'.repeat(6)}</Message>`,
    '21623',
  ],
  [
    'a hundred pictures',
    `<Message>${'<Media>PICTURES/a.jpg</Media>'.repeat(100)}</Message>`,
    '21623',
  ],
  [
    'ten messages of two pictures',
    `<Message>${'<Media>PICTURES/a.jpg</Media>'.repeat(2)}</Message>`.repeat(10),
    '21623',
  ],
  [
    'an element of another case',
    '<Message><Body>x</Body><media>PICTURES/a.jpg</media></Message>',
    '14110',
  ],
  [
    'a picture in its address',
    '<Message><Media>data:image/png;base64,AAAA</Media></Message>',
    '21620',
  ],
  [
    'an address with a password',
    '<Message><Media>http://a:b@127.0.0.1/a.jpg</Media></Message>',
    '21620',
  ],
  ['a picture outside of a message', '<Media>PICTURES/a.jpg</Media>', '14110'],
  ['an element in a Media', '<Message><Media><b>x</b></Media></Message>', '14110'],
])('a document with %s sends nothing, and its call says why', async (_, inside, code) => {
  const { delivery, items } = await answerWith(`<Response>${inside}</Response>`)
  expect(items).toEqual([])
  expect(delivery.response_body).toMatch(new RegExp(`^${code} `))
})

/** A host that answers with a page, as for a file that is gone, or that needs a session. */
const pages = await listenLocally(
  createServer(({ url = '' }, res) => {
    const [type, body] = { ...PAGES, ...TEXTS }[decodeURIComponent(url.slice(1))]!
    res.writeHead(200, type === '' ? {} : { 'content-type': type }).end(body)
  }),
)
const PAGES: Readonly<Record<string, readonly [type: string, body: string | Buffer]>> = {
  TwiML: ['text/xml', '<Response><Message>Hello</Message></Response>'],
  'TwiML with a declaration': ['application/xml; charset=utf-8', `${NODE}<Response/>`],
  'TwiML without a type': ['', '<Response><Message>Hello</Message></Response>'],
  'TwiML as bytes': ['application/octet-stream', '\ufeff \n<Response/>'],
  'TwiML in UTF-16': ['text/xml', Buffer.from('\ufeff<Response/>', 'utf16le')],
  HTML: ['text/html', '<!doctype html><title>Sign in</title>'],
  'a part of HTML': ['text/plain', '<p>Not found</p>'],
  'words of a page': ['Text/HTML; charset=utf-8', 'File not found.'],
  XHTML: ['application/xhtml+xml', '<html xmlns="http://www.w3.org/1999/xhtml"/>'],
  'an error of S3': ['application/xml', `${NODE}\n<Error><Code>AccessDenied</Code></Error>`],
  SOAP: ['application/soap+xml', '<soap:Envelope xmlns:soap="x"/>'],
  'a feed': ['application/rss+xml', '<?xml version="1.0"?><rss version="2.0"></rss>'],
}
test.each(Object.keys(PAGES))('a reply or a send whose file is %s sends nothing', async (title) => {
  const url = `${pages.url}/${encodeURIComponent(title)}`
  const { delivery, items } = await answerWith(
    `<Response><Message><Body>x</Body><Media>${url}</Media></Message></Response>`,
  )
  expect(items).toEqual([])
  expect(delivery.response_body).toMatch(/^21620 .*a page or XML/)
  const sent = await ann.ask('POST', 'Messages.json', { To: from, Body: 'x', MediaUrl: url })
  expect([sent.status, sent.body.code]).toEqual([400, 21620])
  const body = { recipients: [from], attachments: [url] }
  const own = await ann.user.call('POST', '/api/sms/send', body)
  expect([own.status, own.body.message]).toEqual([400, expect.stringMatching(/a page or XML/)])
})

const TEXTS: Readonly<Record<string, readonly [type: string, body: string]>> = {
  'a contact': ['text/html', 'BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann\r\nEND:VCARD\r\n'],
  'a note': ['text/plain', '<3 you'],
  'a note without a type': ['', 'Open from 9 to 5'],
  'an appointment': ['text/calendar', 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n'],
}
test.each(Object.keys(TEXTS))('a reply whose file is %s is sent', async (title) => {
  const url = `${pages.url}/${encodeURIComponent(title)}`
  const { items } = await answerWith(
    `<Response><Message><Media>${url}</Media></Message></Response>`,
  )
  expect(items).toMatchObject([{ attachments: [{}] }])
})

test('without a line for MMS a reply with a picture is refused as a send is', async () => {
  await setMms('off')
  const { delivery, items } = await answerWith(
    '<Response><Message><Body>x</Body><Media>PICTURES/a.jpg</Media></Message></Response>',
  )
  expect(items).toEqual([])
  expect(delivery.response_body).toMatch(/^21622 /)
})

test('an address in Media is resolved against the address of its document', async () => {
  await answerWith('<Response><Message><Media>/a.jpg</Media></Message></Response>')
  expect(app.calls.map(({ url }) => new URL(url).pathname)).toContain('/a.jpg')
})

test.each([
  ['true', 201],
  ['True', 201],
  ['false', 201],
  ['perhaps', 400],
])('SendAsMms=%s is answered with %d', async (SendAsMms, status) => {
  const sent = await ann.ask('POST', 'Messages.json', { To: from, Body: 'Hello', SendAsMms })
  expect(sent.status).toBe(status)
  if (status === 201) expect(sent.body).toMatchObject({ num_media: '0', num_segments: '1' })
  await must(phone, 'POST', '/api/devices/claim', { limit: 10 })
})

test.each([
  ['<Response><Message><Body>a</Body>b</Message></Response>', 'a', []],
  ['<Response><Message>a<Media>u</Media>b<Media>v</Media></Message></Response>', 'ab', ['u', 'v']],
  [
    '<Response><!-- x --><Message><!-- y --><Media>u<!-- z -->v</Media></Message></Response>',
    '',
    ['uv'],
  ],
])('the document %s is read as the text %j with %j', (document, body, media) => {
  const { messages } = readTwimlAnswer({ 'content-type': 'text/xml' }, Buffer.from(document))
  expect(messages).toEqual([{ body, media, to: '', from: '', callback: '' }])
})

test('a reply by TwiML ends the waiting for an answer, and an answer without one does not', async () => {
  const waits = async () => {
    const filter = encodeURIComponent(`number = "${from}"`)
    const path = `/api/collections/conversations/records?filter=${filter}`
    return (await must(ann.user, 'GET', path)).items[0].unanswered
  }
  await answerWith('<Response/>')
  expect(await waits()).toBe(true)
  await answerWith('<Response><Message>Until 8</Message></Response>')
  expect(await waits()).toBe(false)
})
