import type { SendMailOptions } from 'nodemailer'
import { makePhoto } from '../../support/pictures.ts'
import { startSmtpFixture } from '../../support/server/smtp-fixture.ts'

// Pictures attached to a mail go with its text. The text goes without them if need be.

const { server, auth, hook, mail } = await startSmtpFixture({
  PUBLIC_URL: 'https://sms.example.com',
})
const NUMBER = '+4915112345678@sms.example.com'
const PICTURE = { filename: 'yard.jpg', content: await makePhoto('whatsapp') }
const TEXT = { subject: 'Motion', text: 'In the yard' }
const LINK = /https:\/\/sms\.example\.com\/f\/\w{16}[\w-]{11}/g

const setMms = (mms: 'on' | 'off') => server.rows(`update lines set mms = '${mms}'`)
beforeEach(async () => {
  await setMms('on')
  await server.rows('delete from _files')
  await server.rows('delete from sms_messages')
})

/** What was sent: text, segments and the number of stored files. */
const readSent = async () => {
  const rows = await server.rows(`select body, segments, cardinality(attachments),
    (select count(*)::int from _files f where f.record = m.id) from sms_messages m order by "to"`)
  return rows.map(([body, ...more]) => [String(body).replace(LINK, 'LINK'), ...more])
}
const send = (options: SendMailOptions) => mail({ to: NUMBER, ...TEXT, ...options }, { auth })

test('a picture attached to a mail leaves as an MMS, to each number', async () => {
  const to = [NUMBER, '+4915112345679@sms.example.com']
  expect(await send({ to, attachments: [PICTURE] })).toMatch(/OK: sent$/)
  const mms = ['Motion\nIn the yard', 0, 1, 1]
  expect(await readSent()).toEqual([mms, mms])
})

test('a line without MMS sends links', async () => {
  await setMms('off')
  expect(await send({ attachments: [PICTURE, PICTURE] })).toMatch(/OK: sent$/)
  expect(await readSent()).toEqual([['Motion\nIn the yard LINK LINK', 1, 2, 2]])
})

test.each<[string, string, number, unknown[]]>([
  ['all links', 'x'.repeat(1_300), 2, ['LINK LINK', 10, 2, 2]],
  ['as many links as fit', 'x'.repeat(1_450), 2, ['[2 pictures] LINK', 10, 1, 1]],
  ['no link', 'x'.repeat(1_500), 1, ['[1 picture]', 10, 0, 0]],
  ['no link to a text that was cut', 'x'.repeat(2_000), 1, ['...', 10, 0, 0]],
  ['links that fit into UCS-2', 'Bewegung 🇩🇪 '.repeat(42), 2, ['[2 pictures] LINK', 10, 1, 1]],
])('a mail to a number keeps %s within ten segments', async (_, text, count, expected) => {
  await setMms('off')
  await send({ text, attachments: Array.from({ length: count }, () => PICTURE) })
  const [end, ...more] = expected
  const [[body, ...sent] = []] = await readSent()
  expect(String(body).slice(-String(end).length)).toBe(end)
  expect(sent).toEqual(more)
})

test('other files are mentioned', async () => {
  await send({ attachments: [PICTURE, { filename: 'log.zip', content: 'x' }] })
  expect(await readSent()).toEqual([['Motion\nIn the yard\n[1 file]', 0, 1, 1]])
})

test('the logo of a signature, which the page shows, is not sent', async () => {
  const options: SendMailOptions = {
    html: '<p>In the yard</p><img src="cid:logo">',
    attachments: [{ ...PICTURE, cid: 'logo', contentDisposition: 'inline' }],
  }
  expect(await send(options)).toMatch(/OK: sent$/)
  expect(await readSent()).toEqual([['Motion\nIn the yard', 1, 0, 0]])
})

test.each<[string, SendMailOptions]>([
  ['declared as inline', { attachments: [{ ...PICTURE, contentDisposition: 'inline' }] }],
  [
    'declared as other bytes',
    { attachments: [{ ...PICTURE, contentType: 'application/octet-stream' }] },
  ],
  [
    'beside a page that does not name it',
    { html: '<p>In the yard</p>', attachments: [{ ...PICTURE, contentDisposition: 'inline' }] },
  ],
])('a picture %s is sent', async (_, options) => {
  expect(await send(options)).toMatch(/OK: sent$/)
  expect(await readSent()).toEqual([['Motion\nIn the yard', 0, 1, 1]])
})

test.each<[string, string]>([
  ['a page', '<img src="cid:photo">'],
  ['a page of blanks', '<p>&nbsp;</p><div><img src="cid:photo"></div>'],
])('a picture is sent that is all that %s shows', async (_, html) => {
  const inline = { ...PICTURE, cid: 'photo', contentDisposition: 'inline' as const }
  expect(await send({ text: undefined, html, attachments: [inline] })).toMatch(/OK: sent$/)
  expect(await readSent()).toEqual([['Motion', 0, 1, 1]])
})

// written out, as mail libraries write none of these
const BASE64 = 'Content-Transfer-Encoding: base64\r\n\r\n'
const LINES = PICTURE.content.toString('base64').replace(/.{76}/g, '$&\r\n')
const writePart = (head: string) => `--b\r\n${head}\r\n${BASE64}${LINES}\r\n`
const mixed = (head: string) =>
  `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nIn the yard\r\n${writePart(head)}--b--\r\n`
const page = (html: string, head: string) =>
  `Content-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n${html}\r\n${writePart(`Content-Type: image/jpeg\r\n${head}`)}--b--\r\n`
const SENT = ['Motion\nIn the yard', 0, 1, 1]
const NOT_SENT = ['Motion\nIn the yard', 1, 0, 0]
test.each<[string, string, unknown[]]>([
  ['that is the whole mail', `Content-Type: image/jpeg\r\n${BASE64}${LINES}`, ['Motion', 0, 1, 1]],
  [
    'that is the whole mail, as other bytes',
    `Content-Type: application/octet-stream; name="snap.jpg"\r\n${BASE64}${LINES}`,
    ['Motion', 0, 1, 1],
  ],
  ['that is declared as a text', mixed('Content-Type: text/plain; name="snap.jpg"'), SENT],
  ['without a type', mixed('Content-Disposition: attachment; filename="snap.jpg"'), SENT],
  ['of an invented type', mixed('Content-Type: application/x-camera'), SENT],
  ['of a type that is not registered', mixed('Content-Type: image/jpg'), SENT],
  [
    'behind the words of a style',
    page('<div style="background:url(cid:a@b)">In the yard</div>', 'Content-ID: <a@b>'),
    NOT_SENT,
  ],
  [
    'that a page names in capitals, with an escape',
    page('<p>In the yard</p><IMG SRC="CID:a%40b">', 'Content-ID: <a@b>'),
    NOT_SENT,
  ],
  [
    'that a page names by its place',
    page('<p>In the yard</p><img src="logo.jpg">', 'Content-Location: logo.jpg'),
    NOT_SENT,
  ],
])('a mail with a picture %s is read as it shows', async (_, content, expected) => {
  const raw = `From: a@example.com\r\nSubject: Motion\r\nMIME-Version: 1.0\r\n${content}`
  await send({ envelope: { from: 'a@example.com', to: [NUMBER] }, raw })
  expect(await readSent()).toEqual([expected])
})

test('a picture that cannot be read is mentioned, and the text leaves', async () => {
  const broken = { filename: 'a.jpg', content: 'no picture' }
  expect(await send({ attachments: [broken] })).toMatch(/OK: sent without a picture$/)
  await send({ subject: 'Two', attachments: [broken, PICTURE] })
  expect(await readSent()).toEqual([
    ['Motion\nIn the yard\n[1 picture]', 1, 0, 0],
    ['Two\nIn the yard\n[2 pictures]', 0, 1, 1],
  ])
})

test('more pictures than a message may have are left out', async () => {
  const screenshot = { filename: 'screen.png', content: await makePhoto('gnome') }
  await send({ attachments: Array(11).fill(screenshot) })
  expect(await readSent()).toEqual([['Motion\nIn the yard\n[11 pictures]', 0, 10, 10]])
})

test('a paragraph of the text stays', async () => {
  await send({ text: 'In the\n\nyard', attachments: [PICTURE] })
  expect(await readSent()).toEqual([['Motion\nIn the\n\nyard', 0, 1, 1]])
})

test('a mail of a picture alone needs no text', async () => {
  await send({ subject: '', text: '', attachments: [PICTURE] })
  expect(await readSent()).toEqual([
    [expect.stringMatching(/^Attachment: \S+ image\/\S+ \d+ bytes$/), 0, 1, 1],
  ])
})

test('a repeated mail with a picture is sent once', async () => {
  const once = { messageId: '<once@example.com>', attachments: [PICTURE] }
  await send(once)
  expect(await send(once)).toMatch(/OK: sent$/)
  expect(await readSent()).toHaveLength(1)
  expect(await server.rows('select count(*)::int from _files')).toEqual([[1]])
})

const OTHER = { ...PICTURE, content: await makePhoto('gnome') }
test.each<[string, SendMailOptions['attachments']]>([
  ['another picture', [OTHER]],
  ['another picture of the same name', [{ ...OTHER, filename: PICTURE.filename }]],
  ['its picture twice', [PICTURE, PICTURE]],
  ['another order of pictures', [OTHER, PICTURE]],
  ['no picture', []],
])('a mail that is repeated with %s is sent, to a number and by a hook', async (_, attachments) => {
  const to = [NUMBER, await hook({ pictures_from: 'attachments', once_minutes: 0 })]
  const messageId = `<${crypto.randomUUID()}@example.com>`
  const first = { to, messageId, text: 'In [the] yard', attachments: [PICTURE] }
  if (attachments!.length > 1 && attachments![0] === OTHER) first.attachments = [PICTURE, OTHER]
  await send(first)
  expect(await send({ ...first, attachments })).toMatch(/OK: sent$/)
  expect(await readSent()).toHaveLength(4)
  for (const repeated of [first, { ...first, attachments }]) await send(repeated)
  expect(await readSent()).toHaveLength(4)
})

test('a hook sends the pictures of a mail if its `pictures_from` says so', async () => {
  await send({ to: await hook({ pictures_from: 'attachments' }), attachments: [PICTURE] })
  await send({ to: await hook({ recipients: ['+4922222'] }), attachments: [PICTURE] })
  expect(await readSent()).toEqual([
    ['Motion\nIn the yard', 0, 1, 1],
    ['Motion\nIn the yard\n[1 picture]', 1, 0, 0],
  ])
})

test('a mail to a number and a hook sends its picture to both', async () => {
  const to = [NUMBER, await hook({ pictures_from: 'attachments' })]
  expect(await send({ to, attachments: [PICTURE] })).toMatch(/OK: sent$/)
  const mms = ['Motion\nIn the yard', 0, 1, 1]
  expect(await readSent()).toEqual([mms, mms])
})
