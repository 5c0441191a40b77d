import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { makeUserHolder } from '../../../src/engine/collections/collection.ts'
import { ANN, BEN, keyOf } from '../../support/server/server-with-users.ts'
import { startSmtpFixture } from '../../support/server/smtp-fixture.ts'
import { watchHolders } from '../../support/watch-holders.ts'

const fixture = await startSmtpFixture()
const { server, auth, hook, mail, sent } = fixture
const HOOK = await hook()
const NUMBER = '+4915112345678@sms.example.com'

beforeEach(() => server.rows('delete from sms_messages'))

test.each<[string, object, string]>([
  ['subject and text', { subject: 'Backup', text: 'It failed.\n' }, 'Backup\nIt failed.'],
  ['a subject alone, in Unicode', { subject: 'Grüße 🎉' }, 'Grüße 🎉'],
  ['equal subject and text, used once', { subject: 'Disk full', text: 'Disk full\n' }, 'Disk full'],
  ['a text alone', { text: 'Only this' }, 'Only this'],
  [
    'the alarm below dashes',
    { subject: 'cron', text: '--\nALARM pump 3 stopped\n' },
    'cron\n--\nALARM pump 3 stopped',
  ],
  [
    'no signature of an answer',
    { subject: 'Re: Night', text: 'Yes\n-- \nAnn\nAcme' },
    'Re: Night\nYes',
  ],
  [
    'no quote',
    {
      subject: 'Re: Night',
      text: 'Yes\n\nOn Tue, 24 Nov 2026, Ben Very Long Name\n<b@x.com> wrote:\n\n> Come?\n> Now?\n',
    },
    'Re: Night\nYes',
  ],
  [
    'a German quote, removed with the text below kept',
    { subject: 'AW: Nacht', text: 'Am 24.11. schrieb Ben:\n> Kommst du?\n\nJa.' },
    'AW: Nacht\nJa.',
  ],
  [
    'no mail of Outlook',
    { subject: 'RE: Night', text: 'Yes\n________________________________\nFrom: Ben\nCome?' },
    'RE: Night\nYes',
  ],
  ['a line that begins with On', { text: 'On Monday:\n\nmilk' }, 'On Monday:\n\nmilk'],
  [
    'HTML',
    {
      html: '<style>p{}</style><p>Disk &amp;  net</p><table><tr><th>A</th><td>1</td></tr></table><blockquote>old</blockquote>',
    },
    'Disk & net\n\nA 1\n\nold',
  ],
  ['the text of both', { text: 'Plain', html: '<b>Rich</b>' }, 'Plain'],
  [
    'pictures as a word',
    {
      text: 'Motion',
      attachments: [
        { filename: 'a.jpg', content: 'x' },
        { filename: 'b.png', content: 'x' },
      ],
    },
    'Motion\n[2 pictures]',
  ],
  [
    'another file, named by a word',
    { subject: 'Log', attachments: [{ filename: 'a.zip', content: 'x' }] },
    'Log\n[1 file]',
  ],
])('a mail with %s becomes the text $2', async (_, content, text) => {
  expect(await mail({ to: HOOK, ...content })).toMatch(/^250 \S+ OK: sent/)
  expect(await sent()).toEqual([`+4911111 ${text}`])
})

test("a hook's template can use subject, sender and body", async () => {
  const to = await hook({ preset: 'custom', template: '{{subject}} by {{from}}: {{body}}' })
  await mail({ to, subject: 'Disk', text: 'full' })
  expect(await sent()).toEqual(['+4911111 Disk by cron@example.com: full'])
})

test('a mail with an API key is sent to numbers, and a long one is shortened', async () => {
  const text = 'word '.repeat(5_000)
  expect(await mail({ to: [NUMBER, '4915112345679@x'], text }, { auth })).toMatch(
    /^250 \S+ OK: sent$/,
  )
  const texts = await sent()
  expect(texts).toHaveLength(2)
  expect(texts[0]).toMatch(/^\+4915112345678 word word [\w ]{1400,1530}\.\.\.$/)
})

test('one mail can go to a number and a hook', async () => {
  await mail({ to: [NUMBER, HOOK], text: 'Both' }, { auth })
  expect(await sent()).toEqual(['+4911111 Both', '+4915112345678 Both'])
})

test('a repeated Message-ID with the same text is sent once to each recipient, with another text again', async () => {
  const messageId = '<1@example.com>'
  const again = (to: string | string[], text: string) => mail({ to, text, messageId }, { auth })
  expect(await again(NUMBER, 'One')).toContain('OK: sent')
  expect(await again(NUMBER, 'One')).toContain('OK: sent')
  expect(await again([NUMBER, '+4915112345679@x'], 'One')).toContain('OK: sent')
  expect(await again(HOOK, 'One')).toContain('OK: sent')
  expect(await again(HOOK, 'One')).toContain('OK: repeated')
  expect(await sent()).toEqual(['+4911111 One', '+4915112345678 One', '+4915112345679 One'])
  expect(await again([NUMBER, HOOK], 'Two')).toContain('OK: sent')
  expect(await again([NUMBER, HOOK], 'Two')).toContain('OK: sent, repeated')
  expect((await sent()).filter((text) => text.endsWith('Two'))).toEqual([
    '+4911111 Two',
    '+4915112345678 Two',
  ])
})

describe('a mail to several recipients', () => {
  test('a mail to several recipients sends one text to a number written in several ways', async () => {
    const spellings = ['+4915112345678', '4915112345678', '004915112345678', '+4915112345678']
    const to = spellings.map((number, i) => `${number}@host${i}.example.com`)
    expect(await mail({ to, text: 'Once' }, { auth })).toContain('OK: sent')
    expect(await sent()).toEqual(['+4915112345678 Once'])
  })

  test('a mail to several recipients calls a hook once for several hosts', async () => {
    const [secret] = HOOK.split('@')
    const to = Array.from({ length: 100 }, (_, i) => `${secret}@host${i}.example.com`)
    expect(await mail({ to, text: 'Once' })).toContain('OK: sent')
    expect(await sent()).toEqual(['+4911111 Once'])
  })

  test('a mail to several recipients sends no text when a hook refuses it', async () => {
    const strict = await hook({ preset: 'custom', template: '{{body}} {{nothing}}' })
    expect(await mail({ to: [NUMBER, HOOK, strict], text: 'Hi' }, { auth })).toMatch(
      /^550 .*The body has no nothing/,
    )
    expect(await sent()).toEqual([])
    const calls =
      'select outcome, error from hook_calls c join hooks h on h.id = c.hook where h.secret = $1'
    expect(await server.rows(calls, [strict.split('@')[0]])).toEqual([
      ['refused', 'The body has no nothing.'],
    ])
  })

  test('a mail to several recipients sends no text when the quota is too small for all', async () => {
    await server.rows('update users set monthly_quota = 1 where id = $1', [ANN.id])
    await server.rows('delete from sms_usage')
    const to = ['+4915112345671@x', '+4915112345672@x', '+4915112345673@x']
    expect(await mail({ to, text: 'Hi' }, { auth })).toMatch(
      /^550 .*Monthly message quota exceeded/,
    )
    await server.rows('update users set monthly_quota = 0')
    expect(await sent()).toEqual([])
  })
})

test('a refused mail can be sent again', async () => {
  const to = await hook({ preset: 'custom', template: '{{subject}} {{body}} {{nothing}}' })
  const messageId = '<2@example.com>'
  const send = () => mail({ to, text: 'Hi', subject: 'Hi', messageId })
  expect(await send()).toMatch(/^550 .* The body has no nothing\.$/)
  await server.rows(`update hooks set template = '{{body}}' where secret = $1`, [to.split('@')[0]])
  expect(await send()).toContain('OK: sent')
  expect(await sent()).toEqual(['+4911111 Hi'])
})

/** A mail with bytes as they are, each a character of Latin-1. */
const rawMail = (charset: string, body: string, subject = 'Alarm') => ({
  to: HOOK,
  raw: Buffer.from(
    `Subject: ${subject}\r\nMIME-Version: 1.0\r\nContent-Type: text/plain${charset && `; charset="${charset}"`}\r\n` +
      `Content-Transfer-Encoding: 8bit\r\n\r\n${body}`,
    'latin1',
  ),
})

test.each([
  ['iso-8859-1', 'Gr\xfc\xdfe', '=?iso-8859-1?Q?=FCber?=', 'über\nGrüße'],
  ['windows-1252', '5 \x80', '=?utf-8?B?w7xi?= =?UTF-8?Q?er?=', 'über\n5 €'],
  ['iso-2022-jp', '\x1b$B%F%9%H\x1b(B', '=?utf-8?Q?=C3?= =?utf-8?Q?=BCber?=', 'über\nテスト'],
  ['utf-8', '\xc3\xbc \xef\xbf\xbd', 'Alarm', 'Alarm\nü \ufffd'],
])('a mail in %s is read by its charsets as $3', async (charset, body, subject, text) => {
  const envelope = { envelope: { from: 'a@b.c', to: [HOOK] } }
  expect(await mail({ ...rawMail(charset, body, subject), ...envelope })).toMatch(/^250 /)
  expect(await sent()).toEqual([`+4911111 ${text}`])
})

describe('a mail is refused', () => {
  const big = { filename: 'a.jpg', content: Buffer.alloc(2 << 20) }
  const lines = '\n'.repeat(100_000)
  test.each<[string, object, object, RegExp]>([
    [
      'an unknown hook',
      { to: 'nobody@x', text: 'Hi' },
      {},
      /^550 .*There is no hook with this address/,
    ],
    ['a foreign address', { to: 'ann@example.org', text: 'Hi' }, { auth }, /^550 /],
    ['a number of a guest', { to: NUMBER, text: 'Hi' }, {}, /^530 .*Sign in with an API key/],
    ['a wrong key', { to: NUMBER, text: 'Hi' }, { auth: { ...auth, pass: 'psk_x' } }, /^535 /],
    [
      "another user's key",
      { to: NUMBER, text: 'Hi' },
      { auth: { user: ANN.email, pass: BEN.key } },
      /^535 /,
    ],
    [
      'the account password',
      { to: NUMBER, text: 'Hi' },
      { auth: { ...auth, pass: ANN.password } },
      /^535 /,
    ],
    [
      'a mail that is too large',
      { to: HOOK, text: 'Hi', attachments: [big] },
      {},
      /^552 .*A mail may have 2 MiB/,
    ],
    ['nothing', { to: HOOK }, {}, /^550 .*The mail has no text/],
    ['an unknown charset', rawMail('x-none', 'Hi'), {}, /^550 .*charset "x-none" is not known/],
    [
      'bytes that are not UTF-8',
      rawMail('utf-8', 'Gr\xfc\xdfe'),
      {},
      /^550 .*not valid in the charset utf-8/,
    ],
    [
      'bytes without a charset',
      rawMail('', 'Gr\xfc\xdfe'),
      {},
      /^550 .*not valid in the charset utf-8/,
    ],
    [
      'a subject in an unknown charset',
      rawMail('', 'Hi', '=?x-none?Q?a?='),
      {},
      /^550 .*"x-none" is not known/,
    ],
    [
      'a malformed word',
      rawMail('', 'Hi', '=?utf-8?Q?=FCber?='),
      {},
      /^550 .*not valid in the charset utf-8/,
    ],
    ['a subject in raw Latin-1', rawMail('', 'Hi', '\xfcber'), {}, /^550 .*subject is not valid/],
    ['too many lines', { to: HOOK, raw: `Subject: x\n\n${lines}` }, {}, /^550 .*too many lines/],
    [
      'too many parts',
      {
        to: HOOK,
        envelope: { from: 'a@b.c', to: [HOOK] },
        raw: `Content-Type: multipart/mixed; boundary=b\n\n${`--b\n\n${'x'.repeat(60)}\n`.repeat(300)}`,
      },
      {},
      /^550 .*too many parts/,
    ],
  ])('a mail is refused for %s with $3', async (_, content, more, reply) => {
    const envelope = 'raw' in content ? { envelope: { from: 'a@b.c', to: [HOOK] } } : {}
    expect(await mail({ ...content, ...envelope }, more)).toMatch(reply)
    expect(await sent()).toEqual([])
  })

  test('a mail is refused for a missing scope, an exceeded quota or a missing phone, but a mail to a hook waits for a phone', async () => {
    const send = () => mail({ to: NUMBER, text: 'Hi' }, { auth })
    const scopes = (list: string) =>
      server.rows('update api_keys set scopes = $2 where id = $1', [keyOf(ANN), list])
    await scopes('{messages:read}')
    expect(await send()).toMatch(/^550 .*scope required: messages:send/)
    await scopes('{}')
    await server.rows('update users set monthly_quota = 1 where id = $1', [ANN.id])
    expect(await send()).toMatch(/^550 .*Monthly message quota exceeded/)
    await server.rows('update users set monthly_quota = 0')
    await server.rows(`update devices set last_seen = '2020-01-01 00:00:00.000Z'`)
    expect(await send()).toMatch(/^451 .*No devices available/)
    expect(await mail({ to: HOOK, text: 'Hi' })).toMatch(/^250 .*OK: waiting/)
    await server.rows(`update devices set last_seen = '2099-01-01 00:00:00.000Z'`)
    expect(await send()).toMatch(/^250 /)
  })
})

/** Says lines as they are, and returns the first digit of each reply. */
async function dialog(...lines: string[]): Promise<string[]> {
  const socket = connect(fixture.port, '127.0.0.1')
  const replies: string[] = []
  for await (const reply of createInterface(socket)) {
    if (reply[3] === '-') continue
    replies.push(reply.slice(0, 3))
    const next = lines.shift()
    if (next === undefined) socket.end()
    else socket.write(`${next}\r\n`)
  }
  return replies
}

test('mails to foreign addresses are refused, and so is STARTTLS without a certificate', async () => {
  const addresses = [
    ...['user@elsewhere.example', '"user@elsewhere.example"', 'user%elsewhere.example@[127.0.0.1]'],
    ...['@sms.example.com:user@elsewhere.example', 'elsewhere.example!user@sms.example.com'],
    ...['user@elsewhere.example@sms.example.com', '+4915112345678@sms.example.com', 'postmaster'],
  ]
  const replies = await dialog(
    'EHLO x',
    'MAIL FROM:<spam@example.org>',
    ...addresses.map((address) => `RCPT TO:<${address}>`),
    'DATA',
    'STARTTLS',
    'QUIT',
  )
  expect(replies.slice(0, 3)).toEqual(['220', '250', '250'])
  expect(replies.slice(3).filter((reply) => !/^5/.test(reply))).toEqual(['221'])
})

test('a recipient that the key or account may not reach is refused at RCPT', async () => {
  const plain = (text: string) => Buffer.from(text).toString('base64')
  const signIn = `AUTH PLAIN ${plain(`\0${ANN.email}\0${ANN.key}`)}`
  const to = (number: string) => `RCPT TO:<${number}@sms.example.com>`
  const ask = () =>
    dialog(
      'EHLO x',
      signIn,
      'MAIL FROM:<a@b.c>',
      to('+4915112345678'),
      to('+88216123456'),
      to('+4915112345679'),
      'QUIT',
    )
  for (const [table, column] of [
    ['api_keys', 'user'],
    ['user_settings', 'user'],
  ]) {
    await server.rows(
      `insert into user_settings (id, "user") values (pb_new_id(), $1) on conflict do nothing`,
      [ANN.id],
    )
    const limit = (destinations: string) =>
      server.rows(`update ${table} set destinations = $2 where "${column}" = $1`, [
        ANN.id,
        destinations,
      ])
    await limit('+49')
    expect(await ask()).toEqual(['220', '250', '235', '250', '250', '550', '250', '221'])
    await limit('')
  }
  expect(await sent()).toEqual([])
})

test('a signed-in sender of mails counts as an account in rate limits and places', async () => {
  const [[root]] = (await server.rows('select id from _superusers limit 1')) as [[string]]
  const headers = await server.signedIn('_superusers', root)
  const limit = (rateLimits: object) =>
    server.ask('PATCH', '/api/settings', { rateLimits }, headers)
  const rule = { label: '/api/sms/send', duration: 60, maxRequests: 1 }
  const right = `AUTH PLAIN ${Buffer.from(`\0${ANN.email}\0${ANN.key}`).toString('base64')}`
  const to = `RCPT TO:<${NUMBER}>`
  const ask = (...lines: string[]) =>
    dialog('EHLO x', ...lines, 'MAIL FROM:<a@example.com>', to, to, to, 'QUIT')
  await limit({ enabled: true, rules: [{ ...rule, audience: '@guest' }] })
  const asAccount = ['220', '250', '235', '250', '250', '250', '250', '221']
  const { requests } = await watchHolders(['requests'], async () => {
    expect(await ask(right)).toEqual(asAccount)
  })
  expect(requests.filter((holder) => holder === makeUserHolder(ANN.id))).toHaveLength(3)
  expect(await ask()).toEqual(['220', '250', '250', '530', '451', '451', '221'])
  await limit({ enabled: true, rules: [{ ...rule, audience: '@auth' }] })
  expect(await ask(right)).toEqual(['220', '250', '235', '250', '250', '451', '451', '221'])
  expect(await ask()).toEqual(['220', '250', '250', '530', '530', '530', '221'])
  await limit({ enabled: false })
})

test("wrong keys count in the guests' rate limit, and above it the sign-in is answered with 451", async () => {
  const [[root]] = (await server.rows('select id from _superusers limit 1')) as [[string]]
  const headers = await server.signedIn('_superusers', root)
  const limit = (rateLimits: object) =>
    server.ask('PATCH', '/api/settings', { rateLimits }, headers)
  const rule = { label: '/api/', audience: '@guest', duration: 60, maxRequests: 2 }
  expect((await limit({ enabled: true, rules: [rule] })).status).toBe(200)
  const wrong = `AUTH PLAIN ${Buffer.from(`\0${ANN.email}\0psk_x`).toString('base64')}`
  const replies = await dialog('EHLO x', wrong, wrong, wrong, 'QUIT')
  await limit({ enabled: false })
  expect(replies).toEqual(['220', '250', '535', '535', '451', '221'])
})

test('a mail of 46,000 quoted lines is sent unchanged, and so is the next mail', async () => {
  const head = 'Subject: Re: x\nContent-Type: text/plain; format=flowed; delsp=yes\n\n'
  const raw = head + `${'> '.repeat(20)}\n`.repeat(46_000)
  const envelope = { from: 'a@b.c', to: [HOOK] }
  expect(await mail({ to: HOOK, raw, envelope })).toContain('OK: sent')
  expect(await mail({ to: HOOK, text: 'After it' })).toContain('OK: sent')
})
