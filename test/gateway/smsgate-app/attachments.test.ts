import { crc32, deflateSync } from 'node:zlib'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import PocketBase, { type RecordModel } from 'pocketbase'
import sharp from 'sharp'
import { endOldMessages } from '../../../src/gateway/retention/end-old-messages.ts'
import { collectExtensions } from '../../../src/main/features.ts'
import { makePhoto } from '../../support/pictures.ts'
import { type Client, client, must } from '../../support/server/server-with-devices.ts'
import { startReceiver, verify } from '../../support/services/receiver.ts'
import { mms, mmsPoster, type SentFile } from '../../support/smsgate/mms.ts'
import { joinPhone, records, startSmsgateFixture } from '../../support/smsgate/smsgate-fixture.ts'
import { makeKey, signatureOf, startApp } from '../../support/twilio/twilio-fixture.ts'
import { deliveriesOf, makeWebhook } from '../../support/webhook-fixture.ts'

const MAX_BYTES = 100_000
const MEMBERS = '/api/collections/members/records'
const ENV = { WEBHOOK_ALLOW_PRIVATE: 'true', SMS_MAX_ATTACHMENT_BYTES: String(MAX_BYTES) }
const fixture = await startSmsgateFixture(ENV)
const { gateway } = fixture
const { store } = gateway.server.services
const [user, stranger] = [await gateway.makeUser(), await gateway.makeUser()]
const phone = await joinPhone(fixture, user)
const postMms = await mmsPoster(phone)

/** Taken upright: the camera stored it lying, with its orientation. */
const picture = await makePhoto('iphoneSmall')
const card = Buffer.from('BEGIN:VCARD\r\nFN:Ann\r\nEND:VCARD\r\n')

async function post(payload: ReturnType<typeof mms>, status = 204) {
  expect(await postMms(payload)).toBe(status)
  return (await records(user, `from = "${payload.sender}"`))[0]
}

function sdkOf({ token }: Client) {
  const pb = new PocketBase(gateway.url)
  pb.authStore.save(token, null)
  return pb
}
async function fileUrl(message: RecordModel, name: string, query: object = {}, who = user) {
  const pb = sdkOf(who)
  return pb.files.getURL(message, name, { ...query, token: await pb.files.getToken() })
}
const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer())
const stored = async (id: string) =>
  (await gateway.query('select name, type, size from _files where record = $1 order by id', [id]))
    .length

describe('a picture in an incoming message', () => {
  test('a picture in an incoming message is shown in the record, the webhook and Twilio’s API, to its owner only', async () => {
    const [receiver, app] = [await startReceiver(), await startApp()]
    const hook = await makeWebhook(user, receiver.url)
    const twilio = await makeKey(user)
    const device = phone.store.registration!.id
    await user.call('PATCH', `/api/collections/devices/records/${device}`, {
      phone: '+4915550000001',
    })
    await makeWebhook(user, `${app.url}/sms`, { format: 'twilio', api_key: twilio.id, device })

    const message = await post(
      mms([
        ['beach day.png', picture],
        ['ann.vcf', card, 'text/x-vcard'],
      ]),
    )
    expect(message).toMatchObject({
      body: 'Look!',
      attachments: [expect.any(String), expect.any(String)],
    })
    const [name, other] = message.attachments
    expect([name, other]).toEqual([
      expect.stringMatching(/^beach_day_\w{10}\.jpg$/),
      expect.stringMatching(/^ann_\w{10}\.vcf$/),
    ])
    expect(await bytesOf(await fetch(await fileUrl(message, name)))).toEqual(picture)
    const small = await bytesOf(await fetch(await fileUrl(message, name, { thumb: '480x480f' })))
    expect(await sharp(small).metadata()).toMatchObject({ format: 'jpeg', width: 360, height: 480 })
    const path = `${gateway.url}/api/files/sms_messages/${message.id}/`
    // a member opens it while the membership lasts
    const ben = await gateway.makeUser()
    const values = { account: user.id, member: ben.id, role: 'viewer' }
    const membership = await must(gateway.superuser, 'POST', MEMBERS, values)
    const acting = await must(ben, 'POST', '/api/account/act-for', { account: user.id })
    const opened = await fileUrl(message, name, {}, client(gateway.url, user.id, acting.token))
    expect((await fetch(opened)).status).toBe(200)
    await must(gateway.superuser, 'DELETE', `${MEMBERS}/${membership.id}`)
    for (const closed of [path + name, opened, await fileUrl(message, name, {}, stranger)])
      expect((await fetch(closed)).status).toBe(404)

    const [told] = await receiver.heard(1)
    const description = (await (await fetch(`${gateway.url}/api/openapi.json`)).json()) as object
    const at =
      'webhooks/message.received/post/requestBody/content/application~1json/schema/properties/files'
    const ajv = formats.default(new Ajv2020({ strict: false })).addSchema(description, 'api')
    expect(ajv.validate({ $ref: `api#/${at}` }, told!.event.files)).toBe(true)
    expect(verify(hook.secret, told!)).toMatchObject({
      data: { attachments: [name, other] },
      files: [
        { name, type: 'image/jpeg', size: picture.length },
        { name: other, type: 'text/vcard', size: card.length },
      ],
    })
    const links: string[] = told!.event.files.map((file: { url: string }) => file.url)
    expect(await bytesOf(await fetch(links[0]!))).toEqual(picture)
    const token = new URL(links[0]!).searchParams.get('token')!
    const until7 = /^\d+/.exec(token)![0]
    expect(Number(until7) * 1000 - Date.now()).toBeGreaterThan(6 * 86_400_000)
    for (const wrong of [
      `${path}${other}?token=${token}`,
      `${path}${name}?token=${token.replace(until7, '9'.repeat(11))}`,
      `${path}${name}?token=1${token.slice(until7.length)}`,
    ])
      expect((await fetch(wrong)).status).toBe(404)

    const [call] = await app.heard(1)
    expect(call!.form).toMatchObject({
      NumMedia: '2',
      MediaContentType0: 'image/jpeg',
      Body: 'Look!',
    })
    expect(call!.headers['x-twilio-signature']).toBe(signatureOf(twilio.auth_token, call!))
    const ask = (at: string, { account_sid, auth_token } = twilio) =>
      fetch(at, { headers: { authorization: `Basic ${btoa(`${account_sid}:${auth_token}`)}` } })
    expect(await bytesOf(await ask(call!.form.MediaUrl0!))).toEqual(picture)
    expect((await fetch(call!.form.MediaUrl0!)).status).toBe(401)
    const foreign = await makeKey(stranger)
    const asForeign = call!.form.MediaUrl0!.replace(twilio.account_sid, foreign.account_sid)
    expect((await ask(asForeign, foreign)).status).toBe(404)

    const wanted = { user: user.id, name: 'k', scopes: ['inbox:list'] }
    const made = await user.call('POST', '/api/collections/api_keys/records', wanted)
    const headers = { authorization: `Bearer ${made.body.key}` }
    const inbox = (at: string) => fetch(`${gateway.url}/api/3rdparty/v1/inbox${at}`, { headers })
    expect(await (await inbox('?type=MMS_DOWNLOADED')).json()).toMatchObject([
      {
        id: message.id,
        attachments: [{ partId: 1, name, contentType: 'image/jpeg' }, { partId: 2 }],
      },
    ])
    expect(await bytesOf(await inbox(`/${message.id}/attachments/2`))).toEqual(card)
    expect((await inbox(`/${message.id}/attachments/3`)).status).toBe(404)
    await Promise.all([receiver.stop(), app.stop()])
  })

  test('a picture in an incoming message is stored once when reported repeatedly, and added to a message stored without it', async () => {
    const payload = mms([['a.jpg', picture]])
    await Promise.all(Array.from({ length: 5 }, () => post(payload)))
    const [message, ...others] = await records(user, `from = "${payload.sender}"`)
    expect([others.length, message.attachments.length, await stored(message.id)]).toEqual([0, 1, 1])

    const later = mms([['a.jpg', picture]])
    const unread = later.attachments.map((file) => ({ ...file, data: null }))
    const before = await post({ ...later, attachments: unread })
    expect(before).toMatchObject({
      attachments: [],
      body: `Look!\nAttachment left out: a.jpg image/jpeg ${picture.length} bytes`,
    })
    const deliveries = (await deliveriesOf(user)).length
    for (let i = 0; i < 2; i++)
      expect(await post(later)).toMatchObject({ id: before.id, attachments: [expect.any(String)] })
    expect([await stored(before.id), (await deliveriesOf(user)).length]).toEqual([1, deliveries])
  })

  test('a picture in an incoming message is another message than another picture of the same second, name and words', async () => {
    const first = mms([['image000001.jpg', picture]], { body: '' })
    const other = mms([['image000001.jpg', await makePhoto('photoshop')]], { body: '' })
    const second = { ...other, sender: first.sender }
    expect(first.receivedAt).toBe(second.receivedAt)
    for (let i = 0; i < 2; i++) for (const one of [first, second]) await post(one)
    const messages = await records(user, `from = "${first.sender}"`)
    expect(messages.map(({ attachments }) => attachments.length)).toEqual([1, 1])
  })

  test('a picture in an incoming message is stored together with its message or not at all', async () => {
    await gateway.query(
      `create function broken() returns trigger language plpgsql as 'begin raise ''no''; end'`,
    )
    await gateway.query(
      'create trigger broken before insert on _file_chunks execute function broken()',
    )
    // no earlier message has it, whose content it would share
    const payload = mms([['a.jpg', Buffer.concat([picture, Buffer.from('new')])]])
    expect(await post(payload, 500)).toBeUndefined()
    await gateway.query('drop trigger broken on _file_chunks')
    expect(await post(payload)).toMatchObject({ attachments: [expect.any(String)] })
  })
})

const cards = (count: number) =>
  Array.from({ length: count }, (_, i): SentFile => [`${i}.vcf`, card, 'x/y'])
const TOO_LONG = [MAX_BYTES, 1].map((size, i): SentFile => [`${i}.bin`, Buffer.alloc(size)])

test.each([
  ['eleven files', cards(11), 10, ['10.vcf x/y']],
  [
    'a hundred and one files',
    cards(101),
    10,
    Array.from({ length: 90 }, (_, i) => `${i + 10}.vcf x/y`),
  ],
  ['too many bytes', TOO_LONG, 1, ['1.bin image/jpeg']],
  ['a file without content', [['a.jpg', null]] as SentFile[], 0, ['a.jpg image/jpeg']],
])(
  'an incoming message of %s keeps $2 file(s), and its text lists the others',
  async (_, files, kept, left) => {
    const message = await post(mms(files))
    expect([message.attachments.length, await stored(message.id)]).toEqual([kept, kept])
    const lines = left.map((line) =>
      expect.stringMatching(`^Attachment left out: ${line} \\d+ bytes$`),
    )
    expect(message.body.split('\n')).toEqual(['Look!', ...lines])
  },
)

test('a STOP with a file that is left out is an opt-out', async () => {
  const { sender } = mms(cards(11))
  expect(await postMms({ ...mms(cards(11), { body: 'STOP' }), sender })).toBe(204)
  const { items } = await must(
    user,
    'GET',
    `/api/collections/contacts/records?filter=(phone='${sender.replace('+', '%2B')}')`,
  )
  expect(items).toMatchObject([{ opted_out: true }])
})

test('a message without a text gets the file names as its text', async () => {
  const { body } = await post(mms([['a.jpg', picture]], { body: null, subject: '' }))
  expect(body).toBe(`Attachment: a.jpg image/jpeg ${picture.length} bytes`)
})

/** A PNG of a few bytes that claims 30,000 by 30,000 pixels. */
function bomb(): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const [body, length, sum] = [
      Buffer.concat([Buffer.from(type), data]),
      Buffer.alloc(4),
      Buffer.alloc(4),
    ]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', Buffer.from([0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30, 1, 0, 0, 0, 0])),
    chunk('IDAT', deflateSync(Buffer.alloc(1_000))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

test.each([
  ['an SVG with a script', 'a.png', Buffer.from(SVG), '.svg', 'image/svg+xml'],
  [
    'HTML',
    'a.jpg',
    Buffer.from('<html><script>alert(1)</script>'),
    '.html',
    'text/html; charset=utf-8',
  ],
  ['a script', 'a.js', Buffer.from('alert(1)'), '.txt', 'text/plain; charset=utf-8'],
  [
    'a script that begins as a GIF',
    'a.js',
    Buffer.from('GIF89a/*'),
    '.bin',
    'application/octet-stream',
  ],
  ['a bomb', 'a.png', bomb(), '.bin', 'application/octet-stream'],
  ['a path', '../../a\r\nb".svg', card, '.vcf', 'text/vcard'],
])(
  '%s is recognised by its content as $4, offered for download and never displayed',
  async (_, sent, content, ending, type) => {
    const message = await post(mms([[sent, content]]))
    expect(message.attachments).toEqual([expect.stringMatching(new RegExp(`^\\w+\\${ending}$`))])
    for (const query of [{}, { thumb: '100x100' }]) {
      const { headers } = await fetch(await fileUrl(message, message.attachments[0], query))
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': type,
        'content-disposition': expect.stringMatching(/^attachment; filename="[\w.]+"$/),
        'content-security-policy': expect.stringMatching(/^default-src 'none';.* sandbox$/),
        'x-content-type-options': 'nosniff',
      })
    }
  },
)

test.each(['redact', 'delete'] as const)(
  'retention (%s) deletes files with the text for good',
  async (mode) => {
    const payload = mms([['a.jpg', picture]])
    const message = await post(payload)
    const { id } = message
    await fetch(await fileUrl(message, message.attachments[0], { thumb: '100x100' }))
    const old = '2020-01-01 00:00:00.000Z'
    await gateway.query('update sms_messages set created = $2, updated = $2 where id = $1', [
      id,
      old,
    ])
    await endOldMessages(store, collectExtensions({ webhookAllowPrivate: false }), {
      mode,
      days: 30,
    })
    expect(await stored(id)).toBe(0)
    const chunks =
      'select from _file_chunks c where not exists (select from _files f where f.content = c.content)'
    expect(await gateway.query(chunks)).toEqual([])
    if (mode === 'redact') expect(await post(payload)).toMatchObject({ body: '', attachments: [] })
  },
)

test('no files are stored after the attachments field was removed', async () => {
  const path = '/api/collections/sms_messages'
  const { fields } = (await gateway.superuser.call('GET', path)).body
  const without = fields.filter(({ name }: { name: string }) => name !== 'attachments')
  expect((await gateway.superuser.call('PATCH', path, { fields: without })).status).toBe(200)
  expect((await gateway.query(`select from _files where collection = 'sms_messages'`)).length).toBe(
    0,
  )
  const message = await post(mms([['a.jpg', picture]]))
  expect(message.body).toMatch(/^Look!\nAttachment left out: a.jpg/)
  expect(await stored(message.id)).toBe(0)
})
