import { readFileSync } from 'node:fs'
import { WEBHOOK_PRESETS } from '../../../src/portable/webhook-presets.ts'
import { type Client, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { startMailServer } from '../../support/services/mail-server.ts'
import { startReceiver } from '../../support/services/receiver.ts'
import { allAre, deliveriesOf, makeWebhook } from '../../support/webhook-fixture.ts'

const PATH = '/api/collections/webhooks/records'
const mail = await startMailServer()
const receiver = await startReceiver()
const server = await startServerWithDevices({ WEBHOOK_ALLOW_PRIVATE: 'true' })
await server.server.services.settings.save({
  smtp: { enabled: true, host: '127.0.0.1', port: mail.port },
})

let user: Client
beforeEach(async () => {
  user = await server.makeUser()
  receiver.told.length = 0
  receiver.answer(204)
})

const create = (values: object) =>
  user.call('POST', PATH, {
    user: user.id,
    events: ['message.received'],
    format: 'template',
    ...values,
  })
const make = (values: object, url: string = receiver.url) =>
  makeWebhook(user, url, { format: 'template', ...values })
/** A text comes in; the first call about it. */
async function toldOf(body: string, from = '+491700000001') {
  const phone = await server.pair(user)
  const received_at = '2026-11-20 07:00:00.000Z'
  await phone.call('POST', '/api/devices/incoming', { items: [{ from, body, received_at }] })
}
const TEXT = 'Text from +491700000001: "Hi" <!channel>\n{{x}}'
const ESCAPED = 'Text from \\+491700000001: "Hi" \\<\u200b\\!channel\\>\n\\{\\{x\\}\\}'

describe('a preset sends the request that its service documents:', () => {
  const [target, token] = ['#chat:1', '12:a/b']
  const requests = [
    // https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
    [
      'slack',
      'POST /hook',
      {
        text: 'A text came in',
        blocks: [{ type: 'section', text: { type: 'plain_text', text: TEXT } }],
        unfurl_links: false,
        unfurl_media: false,
      },
      undefined,
    ],
    // https://discord.com/developers/docs/resources/webhook#execute-webhook
    [
      'discord',
      'POST /hook',
      { content: ESCAPED, allowed_mentions: { parse: [] }, flags: 4 },
      undefined,
    ],
    // https://core.telegram.org/bots/api#sendmessage
    [
      'telegram',
      'POST /bot12:a/b/sendMessage',
      { chat_id: target, text: TEXT, link_preview_options: { is_disabled: true } },
      undefined,
    ],
    // https://docs.ntfy.sh/publish/#publish-as-json
    ['ntfy', 'POST /', { topic: target, message: TEXT }, ['authorization', `Bearer ${token}`]],
    // https://gotify.net/docs/pushmsg
    ['gotify', 'POST /message', { message: TEXT }, ['x-gotify-key', token]],
    // https://developers.mattermost.com/integrate/webhooks/incoming
    ['mattermost', 'POST /hook', { text: ESCAPED }, undefined],
    // https://spec.matrix.org/v1.16/client-server-api/#put_matrixclientv3roomsroomidsendeventtypetxnid
    [
      'matrix',
      'PUT /_matrix/client/v3/rooms/%23chat%3A1/send/m.room.message/ID',
      { msgtype: 'm.text', body: TEXT, 'm.mentions': {} },
      ['authorization', `Bearer ${token}`],
    ],
  ] as const

  test('all presets but `mail` and `custom`, which have tests of their own', () => {
    const tested = [...requests.map(([preset]) => preset), 'mail', 'custom']
    expect(Object.keys(WEBHOOK_PRESETS)).toEqual(tested)
  })

  test.each(requests)('%s', async (preset, line, body, header) => {
    let method = ''
    receiver.behave((_, res, req) => {
      method = req.method!
      res.end('{"ok":true}')
    })
    await make({ preset, target, token }, receiver.url + (line.endsWith('/hook') ? '/hook' : ''))
    await toldOf('"Hi" <!channel>\n{{x}}')
    const [call] = await receiver.heard(1)
    expect(`${method} ${call!.path}`.replace(call!.id, 'ID')).toBe(line)
    expect(call!.event).toEqual(body)
    expect(call!.headers['content-type']).toBe('application/json')
    if (header) expect(call!.headers[header[0]]).toBe(header[1])
    await allAre(user)
  })

  test('a custom template sends method, headers and body, and the token is masked in the delivery', async () => {
    receiver.behave((_, res) => res.end('you sent sesame c2VzYW1l %73%65same'))
    const type = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const hook = await make(
      {
        method: 'PATCH',
        token: 'sesame',
        headers: { ...type, 'X-From': '{{data.from}}\n€ {{token}}' },
        body: 'From={{data.from}}&Body={{data.body}}',
      },
      `${receiver.url}/{{data.body}}/b?a={{data.from}}`,
    )
    expect(hook).toMatchObject({ preset: 'custom', token: '***' })
    expect(hook).not.toHaveProperty('service_token')
    await toldOf('../x?&=')
    const [call] = await receiver.heard(1)
    expect(call!.path).toBe('/..%2Fx%3F%26%3D/b?a=%2B491700000001')
    expect(call!.headers['x-from']).toBe('+491700000001 ? sesame')
    expect(call!.body).toBe('From=%2B491700000001&Body=..%2Fx%3F%26%3D')
    await allAre(user)
    const [delivery] = await deliveriesOf(user)
    expect(delivery.response_body).toBe('you sent *** *** ***')
    const shown = await user.call('GET', `/api/webhooks/deliveries/${delivery.id}/request`)
    expect(shown.body.body).toBe(call!.body)
    expect(shown.body.headers['x-from']).toBe('+491700000001 ? ***')
  })
})

test.each([
  [
    'a path that the text would change',
    { body: 'x' },
    '/{{data.body}}/b',
    'url: The address must have no part',
  ],
  [
    'a value that this event lacks',
    { body: '{{files.0.url}}' },
    '',
    'body: The event has no files.0.url.',
  ],
  [
    'a form that only events without files make',
    {
      headers: { 'content-type': '{{#if files}}x-{{/if}}application/x-www-form-urlencoded' },
      body: ['no pair'],
    },
    '',
    'body: Each query pair',
  ],
  ['{"ok":false} with 200', { body: 'x' }, '', '{"ok":false}'],
] as const)('a delivery that fails for %s says "$3"', async (_, values, path, words) => {
  receiver.answer(200, '{"ok":false}')
  await make(values, receiver.url + path)
  await toldOf('..')
  await expect.poll(async () => (await deliveriesOf(user))[0]?.response_body).toContain(words)
  expect((await deliveriesOf(user))[0].status).toBe(words === '{"ok":false}' ? 'pending' : 'failed')
})

const URL = 'https://example.com/in'
test.each([
  ['an unknown field', { body: '{{data.nope}}' }, 'body'],
  [
    'an unknown field in an unused branch',
    { body: '{{#if received}}{{else}}{{x}}{{/if}}' },
    'body',
  ],
  ['a text that cannot be parsed', { body: { a: ['{{#if data}}'] } }, 'body'],
  [
    'a loop without end',
    { body: '{{#each data}}{{#each ../data}}{{#each ../../data}}x{{/each}}{{/each}}{{/each}}' },
    'body',
  ],
  ['too many tags', { body: '{{id}}'.repeat(101) }, 'body'],
  ['too many escaped tags', { body: `"${'\\u007b{id}}'.repeat(101)}"` }, 'body'],
  ['the token in the body', { body: '{{token}}', token: 'x' }, 'body'],
  ['an unknown field in the address', { url: `${URL}?a={{data.nope}}` }, 'url'],
  ['a placeholder in the host', { url: 'https://{{data.from}}/x' }, 'url'],
  ['a placeholder before the host', { url: 'https://{{data.from}}@example.com/x' }, 'url'],
  ['a placeholder in the port', { url: 'https://example.com:{{data.from}}/x' }, 'url'],
  ['another host after a literal tag', { url: 'https://example.com\\{{@evil.example/x' }, 'url'],
  ['a private address', { url: 'ftp://example.com/{{id}}' }, 'url'],
  ['an unknown field in a header', { headers: { a: '{{nope}}' } }, 'headers'],
  ['a header that frames the request', { headers: { 'Content-Length': '5' } }, 'headers'],
  ['headers that are not an object', { headers: ['a'] }, 'headers'],
  ['no token where it is needed', { preset: 'gotify', url: 'https://example.com' }, 'token'],
  [
    'no chat where it is needed',
    { preset: 'telegram', url: 'https://example.com', token: 'x' },
    'target',
  ],
  ['a mail without a recipient', { preset: 'mail', url: 'mailto:' }, 'url'],
  [
    'a mail with a header',
    { preset: 'mail', url: 'mailto:a@example.com?bcc=b@example.com' },
    'url',
  ],
  [
    'a mail to an address from the text',
    { preset: 'mail', url: 'mailto:{{data.body}}@example.com' },
    'url',
  ],
  [
    'a mail to six',
    { preset: 'mail', url: `mailto:${'a@example.com,'.repeat(5)}b@example.com` },
    'url',
  ],
  [
    'a mail without a text',
    { preset: 'mail', url: 'mailto:a@example.com', body: { subject: 'x' } },
    'body',
  ],
] as const)('a template with %s is refused for its field $2', async (_, values, field) => {
  const made = await create({ url: URL, ...values })
  expect(made.status).toBe(400)
  expect(Object.keys(made.body.data)).toEqual([field])
})

test('a template may have 100 tags', async () => {
  expect((await create({ url: URL, body: '{{id}}'.repeat(100) })).status).toBe(200)
})

test('a token is not sent to another server when the address changes', async () => {
  const { body } = await create({ preset: 'gotify', url: URL, token: 'sesame' })
  const patch = (values: object) => user.call('PATCH', `${PATH}/${body.id}`, values)
  expect((await patch({ url: 'https://example.com/other', token: '***' })).body.token).toBe('***')
  const moved = { url: 'https://evil.example/in' }
  expect(Object.keys((await patch(moved)).body.data)).toEqual(['token'])
  expect((await patch({ ...moved, token: 'new' })).body.token).toBe('***')
  expect((await patch({ format: '' })).body.token).toBe('')
  expect(await server.query('select service_token from webhooks where id = $1', [body.id])).toEqual(
    [['']],
  )
})

test('a mail is sent by the configured SMTP server to the fixed addresses only', async () => {
  await make({ preset: 'mail' }, 'mailto:ann@example.com,bob@example.com')
  await toldOf('Hi\nBcc: eve@example.com', 'DHL\r\nBcc: eve@example.com')
  const { subject, text, raw } = await mail.next()
  expect(subject).toMatch(/^Text from DHL/)
  expect(text).toContain('Bcc: eve@example.com')
  expect(raw).toMatch(/^To: ann@example\.com, bob@example\.com$/m)
  expect(raw.split('\n\n')[0]).not.toMatch(/^Bcc:/m)
  await allAre(user)
  expect((await deliveriesOf(user))[0]).toMatchObject({ status: 'delivered', response_status: 250 })
})

test.each([
  ['refused', true, '550'],
  ['over the limit of mails for its user', false, 'Too many mails'],
])('a mail is retried if it is %s', async (_, refuses, words) => {
  mail.refuses = refuses
  const tries = `insert into auth_tries values ($1, 100, now() + interval '1 hour')`
  if (!refuses) await server.query(tries, [`mails of webhooks ${user.id}`])
  await make({ preset: 'mail' }, 'mailto:ann@example.com')
  await toldOf('Hi')
  await expect.poll(async () => (await deliveriesOf(user))[0]?.response_body).toContain(words)
  expect((await deliveriesOf(user))[0]).toMatchObject({ status: 'pending', attempts: 1 })
  mail.refuses = false
})

test('docs/webhooks.md has a row for each preset', () => {
  const page = readFileSync(
    new globalThis.URL('../../../docs/webhooks.md', import.meta.url),
    'utf8',
  )
  const rows = [...page.matchAll(/^\| `(\w+)` \|(?:[^|\n]*\|){3}$/gm)].map(([, preset]) => preset)
  expect(rows).toEqual(expect.arrayContaining(Object.keys(WEBHOOK_PRESETS)))
})
