import { runServer } from '../../support/database/open.ts'
import {
  type Client,
  client,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { testConfig } from '../../support/server/start.ts'
import { until } from '../../support/until.ts'

const fixture = await startServerWithDevices()
const { guest, superuser, query } = fixture
const [alice, bob] = [await fixture.makeUser(), await fixture.makeUser()]
const records = (name: string) => `/api/collections/${name}/records`
const TO = '+4915112345678'

beforeAll(async () => {
  await fixture.pair(alice)
  await fixture.pair(bob)
  await made(bob, 'contact_groups', { name: 'Their group' })
})

async function made(who: Client, collection: string, values: object) {
  const { status, body } = await who.call('POST', records(collection), { user: who.id, ...values })
  expect(status, JSON.stringify(body)).toBe(200)
  return body
}
const hookOf = (who: Client, values: object = {}) =>
  made(who, 'hooks', { name: 'Alarm', preset: 'text', recipients: [TO], ...values })
const post = (hook: { secret: string }, body: unknown) =>
  guest.call('POST', `/api/hooks/${hook.secret}`, body)
const textsBy = async (hook: { id: string }) =>
  (await query('select body from sms_messages where sent_by = $1 order by _rowid', [hook.id])).map(
    ([text]) => text,
  )
const callsOf = async (who: Client, hook: { id: string }) =>
  (await who.call('GET', `${records('hook_calls')}?filter=hook="${hook.id}"&sort=-@rowid`)).body
    .items
const remove = (who: Client, hook: { id: string }) =>
  who.call('DELETE', `${records('hooks')}/${hook.id}`)

const alertmanager = (status: string, startsAt = '2026-11-23T16:00:00Z') => ({
  status,
  alerts: [
    { status, labels: { alertname: 'DiskFull' }, annotations: {}, fingerprint: 'f', startsAt },
  ],
})

test('a posted body is sent as a text by the hook, and the call is recorded', async () => {
  const hook = await hookOf(alice)
  expect(hook).toMatchObject({ enabled: true, once_minutes: 60, rate: 60 })
  const { status, body } = await post(hook, 'The backup failed')
  expect([status, body.outcome]).toEqual([200, 'sent'])
  const [id] = body.messages
  const message = (await alice.call('GET', `${records('sms_messages')}/${id}?expand=sent_by`)).body
  expect(message).toMatchObject({ to: TO, body: 'The backup failed', status: 'assigned' })
  expect(message.expand.sent_by).toMatchObject({ kind: 'hook', name: 'Alarm' })
  const texts = [{ to: TO, text: 'The backup failed' }]
  const call = { outcome: 'sent', body: 'The backup failed', error: '', texts, messages: [id] }
  expect(await callsOf(alice, hook)).toMatchObject([call])
})

test('a hook accepts its secret as the password of Basic credentials with any user name', async () => {
  const hook = await hookOf(bob)
  const byBasic = (login: string) =>
    client(fixture.url, '', `Basic ${btoa(login)}`).call('POST', '/api/hooks', { text: 'Hi' })
  expect((await byBasic(`listmonk:${hook.secret}`)).body.outcome).toBe('sent')
  expect((await byBasic(`${hook.secret}:`)).status).toBe(404)
  expect((await byBasic('listmonk:')).status).toBe(404)
})

test('a hook accepts its secret in a header and gets a new secret when it is emptied', async () => {
  const hook = await hookOf(bob)
  const byHeader = (secret: string) =>
    client(fixture.url, '', `Bearer ${secret}`).call('POST', '/api/hooks', { text: 'Hi' })
  expect((await byHeader(hook.secret)).body.outcome).toBe('sent')
  const changed = (await bob.call('PATCH', `${records('hooks')}/${hook.id}`, { secret: '' })).body
  expect(changed.secret).toMatch(/^\w{32}$/)
  expect((await byHeader(hook.secret)).status).toBe(404)
  expect((await post(changed, 'Hi')).status).toBe(200)
  await bob.call('PATCH', `${records('hooks')}/${hook.id}`, { enabled: false })
  expect((await post(changed, 'Hi')).body).toEqual({ outcome: 'disabled', messages: [] })
  await remove(bob, hook)
  expect((await post(changed, 'Hi')).status).toBe(404)
  expect(await query('select from hook_calls where hook = $1', [hook.id])).toEqual([])
  expect((await post({ secret: '' }, 'Hi')).status).toBe(404)
})

test('a hook of a disabled account is answered with 404', async () => {
  const user = await fixture.makeUser()
  const hook = await hookOf(user)
  const { id } = await made(superuser, 'user_settings', { user: user.id, disabled: true })
  expect((await post(hook, 'Hi')).status).toBe(404)
  await superuser.call('PATCH', `${records('user_settings')}/${id}`, { disabled: false })
  expect((await post(hook, 'Hi')).body.outcome).toBe('waiting')
})

test('without a phone a text waits but a code is refused', async () => {
  const user = await fixture.makeUser()
  const hook = await hookOf(user, { preset: 'alertmanager' })
  const codes = await hookOf(user, { kind: 'codes' })
  const { body } = await post(hook, alertmanager('firing'))
  expect(body).toMatchObject({ outcome: 'waiting', messages: [expect.any(String)] })
  expect((await post(hook, alertmanager('firing'))).body.outcome).toBe('repeated')
  expect((await post(codes, 'Code 123')).status).toBe(503)
  const message = async () =>
    (await user.call('GET', `${records('sms_messages')}/${body.messages[0]}`)).body
  const { status, scheduled_at, expires_at } = await message()
  expect([status, Date.parse(expires_at) - Date.parse(scheduled_at)]).toEqual([
    'pending',
    86_400_000,
  ])
  await fixture.pair(user)
  await until('a phone has it', async () => (await message()).status === 'assigned')
})

describe('a hook of kind codes', () => {
  test('a hook of kind codes accepts numbers as JSON numbers, refuses groups and masks the stored code', async () => {
    const hook = await hookOf(bob, { kind: 'codes', recipients: [], recipients_from: 'to' })
    const sent = await post(hook, { text: 'Code 4711', to: [491510000001, '0049 151 0000002'] })
    const messages = await Promise.all(
      sent.body.messages.map((id: string) => bob.call('GET', `${records('sms_messages')}/${id}`)),
    )
    expect(messages.map(({ body }) => body.to)).toEqual(['+491510000001', '+491510000002'])
    for (const to of ['Their group', '0151 0000001'])
      expect((await post(hook, { text: 'Code 4711', to })).body.message).toMatch(
        /^Recipient 1 is not a number/,
      )
    expect(JSON.stringify(await callsOf(bob, hook))).not.toContain('4711')
    await remove(bob, hook)
  })

  test('a hook of kind codes refuses calls above its rate and sends no summary', async () => {
    const hook = await hookOf(bob, { kind: 'codes', rate: 1 })
    expect((await post(hook, 'Code 1')).status).toBe(200)
    const answer = await fetch(`${fixture.url}/api/hooks/${hook.secret}`, {
      method: 'POST',
      body: 'Code 2',
    })
    expect(answer.status).toBe(429)
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(3_500)
    expect(await textsBy(hook)).toEqual(['Code 1'])
    expect(await callsOf(bob, hook)).toMatchObject([
      { outcome: 'limited', body: '' },
      { outcome: 'sent' },
    ])
    await remove(bob, hook)
  })
})

test('a multipart form is read, and a GET is refused with a plain message', async () => {
  const hook = await hookOf(bob, { preset: 'uptime-kuma', send_when: 'heartbeat.status=0' })
  const address = `${fixture.url}/api/hooks/${hook.secret}`
  const postForm = async (status: number) => {
    const body = new FormData()
    body.append(
      'data',
      JSON.stringify({ heartbeat: { monitorID: 1, status }, msg: 'Shop is down' }),
    )
    return ((await (await fetch(address, { method: 'POST', body })).json()) as { outcome: string })
      .outcome
  }
  expect([await postForm(1), await postForm(0)]).toEqual(['skipped', 'sent'])
  expect(await textsBy(hook)).toEqual(['Shop is down'])
  const got = await fetch(address)
  expect([got.status, got.headers.get('allow'), await got.json()]).toMatchObject([
    ...[
      405,
      'POST',
      { message: 'A hook accepts POST only: choose POST in the tool that calls it.' },
    ],
  ])
  await remove(bob, hook)
})

describe('the body of a call', () => {
  const named = { recipients: [], recipients_from: 'to' }
  const GRAFANA = { preset: 'grafana', resolved: 'skip' }
  test.each([
    [
      'without a value',
      { preset: 'grafana' },
      { alerts: [{ status: 'firing' }] },
      'alerts.0.labels.',
    ],
    ['without recipients', { recipients: [] }, 'Hi', 'The hook has no recipients.'],
    ['without a template', { preset: 'custom' }, 'Hi', 'The hook has no template.'],
    ['without the recipients field that it names', named, { text: 'Hi' }, 'The body has no to.'],
    [
      'naming a group of another account',
      named,
      { text: 'Hi', to: 'Their group' },
      '"Their group" is neither a number',
    ],
    [
      'with field names that contain NUL',
      { preset: 'grafana' },
      { alerts: { '\0': {} } },
      'The body has no alerts.',
    ],
    [
      'that names by a NUL',
      { recipients_from: 'to' },
      { text: 'Hi', to: 'A\0n' },
      '"An" is neither a number',
    ],
    [
      'with a state that is not a text',
      GRAFANA,
      { status: { toString: 1 } },
      'The body has no alerts.',
    ],
  ])(
    'the body of a call is refused with "$3" and recorded: %s',
    async (_, values, body, message) => {
      const hook = await hookOf(alice, values)
      const answer = await post(hook, body)
      expect(answer).toMatchObject({
        status: 400,
        body: { message: expect.stringContaining(message) },
      })
      const error = answer.body.message.replaceAll('\0', '')
      expect(await callsOf(alice, hook)).toMatchObject([{ outcome: 'refused', error }])
      await remove(alice, hook)
    },
  )

  test('the body of a call of 2 MiB is accepted, and a larger one sends one text that says so', async () => {
    const hook = await hookOf(alice)
    expect((await post(hook, 'x'.repeat(2 << 20))).status).toBe(200)
    const large = 'y'.repeat((2 << 20) + 1)
    expect((await post(hook, large)).body.outcome).toBe('sent')
    expect((await post(hook, large)).body.outcome).toBe('repeated')
    const notice = 'Alarm: an alarm was too large to read.'
    expect(await textsBy(hook)).toEqual([`${'x'.repeat(456)}...`, notice])
    const [again, first] = await callsOf(alice, hook)
    const error = 'The body has more than 2 MiB, or too many values.'
    expect(first).toMatchObject({
      outcome: 'sent',
      body: '',
      error,
      texts: [{ to: TO, text: notice }],
    })
    expect(again).toMatchObject({ outcome: 'repeated', body: '' })
    await remove(alice, hook)
  })

  test('the body of a call that grows too large without a declared length, or has too many values, sends a text that says so', async () => {
    const hook = await hookOf(alice, { once_minutes: 0 })
    const url = `${fixture.url}/api/hooks/${hook.secret}`
    const chunks = new Blob(['z'.repeat((2 << 20) + 1)]).stream()
    const grown = await fetch(url, { method: 'POST', body: chunks, duplex: 'half' } as RequestInit)
    expect([grown.status, ((await grown.json()) as { outcome: string }).outcome]).toEqual([
      200,
      'sent',
    ])
    expect((await post(hook, `[${'1,'.repeat(200_000)}1]`)).body.outcome).toBe('sent')
    expect((await post(hook, '['.repeat(100_000) + ']'.repeat(100_000))).body.outcome).toBe('sent')
    expect(await textsBy(hook)).toHaveLength(3)
    await remove(alice, hook)
  })

  test.each([
    ['of codes', { kind: 'codes' }],
    ['that checks signatures', { signing_secret: `whsec_${'a'.repeat(32)}` }],
    ['whose recipients the body names', { recipients: [], recipients_from: 'to' }],
  ])('the body of a call that is too large is refused by a hook %s', async (_, values) => {
    const hook = await hookOf(alice, values)
    expect((await post(hook, 'x'.repeat((2 << 20) + 1))).status).toBe(413)
    expect(await textsBy(hook)).toEqual([])
    expect(await callsOf(alice, hook)).toMatchObject([
      { outcome: 'refused', error: expect.stringContaining('2 MiB') },
    ])
    await remove(alice, hook)
  })

  test.each<[type: string, hex: string, status: number, text: string]>([
    ['text/plain; charset=iso-8859-1', '4772fcdf65', 200, 'Grüße'],
    ['text/plain; charset=utf-16le', '1604', 200, 'Ж'],
    ['text/plain', '4772c3bc', 200, 'Grü'],
    ['application/x-www-form-urlencoded; charset=windows-1251', '746578743d25433621', 200, 'Ж!'],
    ['text/plain', '4772fc', 400, 'The text is not valid in the charset utf-8.'],
    ['text/plain; charset=none', '41', 400, 'The charset "none" is not known.'],
  ])(
    'the body of a call of the type %s with the bytes %s gets %i; its text or recorded error is "%s"',
    async (type, hex, status, text) => {
      const hook = await hookOf(alice)
      const init = {
        method: 'POST',
        headers: { 'content-type': type },
        body: Buffer.from(hex, 'hex'),
      }
      expect((await fetch(`${fixture.url}/api/hooks/${hook.secret}`, init)).status).toBe(status)
      if (status === 200) expect(await textsBy(hook)).toEqual([text])
      else expect(await callsOf(alice, hook)).toMatchObject([{ outcome: 'refused', error: text }])
      await remove(alice, hook)
    },
  )

  test.each<
    [
      name: string,
      parts: readonly (readonly [head: string, hex: string])[],
      status: number,
      text: string,
    ]
  >([
    [
      'a charset of a part',
      [['text"\r\nContent-Type: text/plain; charset=iso-8859-1', '4772fc']],
      200,
      'Grü',
    ],
    [
      'a field _charset_',
      [
        ['text"', 'c6'],
        ['_charset_"', Buffer.from('windows-1251').toString('hex')],
      ],
      200,
      'Ж',
    ],
    ['no charset', [['text"', '4772c3bc']], 200, 'Grü'],
    ['malformed bytes', [['text"', 'fc']], 400, 'The text is not valid in the charset utf-8.'],
    [
      'an unknown charset',
      [['text"\r\nContent-Type: text/plain; charset=none', '41']],
      400,
      'The charset "none" is not known.',
    ],
  ])(
    'the body of a call of a multipart form with %s is answered with $2: "$3"',
    async (_, parts, status, text) => {
      const hook = await hookOf(alice)
      const pieces = parts.flatMap(([head, hex]) => [
        Buffer.from(`--b\r\nContent-Disposition: form-data; name="${head}\r\n\r\n`),
        Buffer.from(hex, 'hex'),
        Buffer.from('\r\n'),
      ])
      const body = Buffer.concat([...pieces, Buffer.from('--b--\r\n')])
      const init = {
        method: 'POST',
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
        body,
      }
      expect((await fetch(`${fixture.url}/api/hooks/${hook.secret}`, init)).status).toBe(status)
      if (status === 200) expect(await textsBy(hook)).toEqual([text])
      else expect(await callsOf(alice, hook)).toMatchObject([{ outcome: 'refused', error: text }])
      await remove(alice, hook)
    },
  )
})

describe('a hook and other accounts', () => {
  test.each([['groups'], ['line']])(
    "a hook and other accounts cannot use another account's record in its field %s",
    async (field) => {
      const theirs = field === 'line' ? 'lines' : 'contact_groups'
      const { id } = (await bob.call('GET', records(theirs))).body.items[0]
      const value = field === 'line' ? id : [id]
      const hook = await hookOf(alice)
      const path = `${records('hooks')}/${hook.id}`
      expect((await alice.call('PATCH', path, { [field]: value })).status).toBe(404)
      expect((await alice.call('PATCH', path, { user: bob.id })).status).toBe(404)
      const create = { user: alice.id, name: 'x', preset: 'text', [field]: value }
      expect((await alice.call('POST', records('hooks'), create)).status).toBe(400)
      const preview = { hook: { preset: 'text', recipients: [TO], [field]: value }, body: 'Hi' }
      expect((await alice.call('POST', '/api/hooks/preview', preview)).body.outcome).toBe('refused')
      // as after a group or a line has changed hands
      expect((await superuser.call('PATCH', path, { [field]: value })).status).toBe(200)
      expect((await post(hook, 'Hi')).status).toBe(400)
      await remove(alice, hook)
    },
  )

  test('a hook keeps its own deleted line and refuses a deleted line of another account', async () => {
    const phone = await fixture.pair(alice)
    const { id: line } = (
      await alice.call('GET', `${records('lines')}?filter=device="${phone.id}"`)
    ).body.items[0]
    const hook = await hookOf(alice, { line })
    await alice.call('DELETE', `${records('devices')}/${phone.id}`)
    expect(await query('select from lines where id = $1', [line])).toEqual([])
    const patch = (to: { id: string }, values: object) =>
      alice.call('PATCH', `${records('hooks')}/${to.id}`, values)
    expect(await patch(hook, { name: 'Other', line })).toMatchObject({
      status: 200,
      body: { name: 'Other' },
    })
    const other = await hookOf(alice)
    expect((await patch(other, { line })).status).toBe(404)
    await Promise.all([remove(alice, hook), remove(alice, other)])
  })

  test("a hook sends to its account's groups by name", async () => {
    const group = await made(alice, 'contact_groups', { name: 'On call' })
    await made(alice, 'contacts', { phone: '+4915100000001', groups: [group.id] })
    const hook = await hookOf(alice, { recipients_from: 'to' })
    const { body } = await post(hook, { text: 'Hi', to: ['On call', '+49 151 00000002, On call'] })
    expect(body.messages).toHaveLength(3)
    await remove(alice, hook)
  })
})

describe('an event is sent once', () => {
  test('an event is sent once and its end once, however often both are repeated', async () => {
    const hook = await hookOf(alice, { preset: 'alertmanager' })
    for (const status of ['firing', 'resolved'])
      for (const outcome of ['sent', 'repeated'])
        expect((await post(hook, alertmanager(status))).body.outcome).toBe(outcome)
    expect(await textsBy(hook)).toEqual(['firing: DiskFull', 'resolved: DiskFull'])
    await query(`update hook_once set until = now() where hook = $1`, [hook.id])
    expect((await post(hook, alertmanager('firing'))).body.outcome).toBe('sent')
    await alice.call('PATCH', `${records('hooks')}/${hook.id}`, { resolved: 'skip' })
    expect((await post(hook, alertmanager('resolved'))).body.outcome).toBe('resolved')
    await remove(alice, hook)
  })

  test('an event is sent once even with more alerts than the repeat key reads', async () => {
    const hook = await hookOf(alice, { preset: 'alertmanager' })
    const storm = {
      ...alertmanager('firing'),
      alerts: Array(1_000).fill(alertmanager('firing').alerts[0]),
    }
    expect((await post(hook, storm)).body.outcome).toBe('sent')
    expect((await post(hook, storm)).body.outcome).toBe('repeated')
  })

  test('an event is sent once by two nodes that get it at the same moment', async () => {
    const hook = await hookOf(alice, { preset: 'alertmanager' })
    const { databaseUrl } = fixture.server.services.config
    const second = await runServer(await testConfig({ DATABASE_URL: databaseUrl! }))
    onTestFinished(() => second.stop())
    const nodes = [guest, client(second.url, '', '')]
    const calls = Array.from({ length: 10 }, (_, i) =>
      nodes[i % 2]!.call('POST', `/api/hooks/${hook.secret}`, alertmanager('firing')),
    )
    const outcomes = (await Promise.all(calls)).map(({ body }) => body.outcome)
    expect(outcomes.sort()).toEqual([...Array(9).fill('repeated'), 'sent'])
    expect(await textsBy(hook)).toHaveLength(1)
    await remove(alice, hook)
  })

  test.each(['sms_messages', 'hook_once', 'hook_windows', 'hook_calls'])(
    'a crash while %s is written stores nothing, and the next call sends',
    async (table) => {
      const hook = await hookOf(alice, { preset: 'alertmanager' })
      await query(
        `create function die() returns trigger language plpgsql as $$ begin raise 'dead'; end $$`,
      )
      await query(
        `create trigger die before insert on ${table} for each row execute function die()`,
      )
      expect((await post(hook, alertmanager('firing'))).status).toBe(500)
      await query('drop function die cascade')
      expect(await textsBy(hook)).toEqual([])
      expect((await post(hook, alertmanager('firing'))).body.outcome).toBe('sent')
      await remove(alice, hook)
    },
  )
})

test("above the hook's rate one summary is sent at the end of the hour", async () => {
  const hook = await hookOf(alice, { rate: 5, recipients: [TO, '+4915100000001'] })
  const calls = Array.from({ length: 100 }, (_, i) => post(hook, `Alert ${i} ${'x'.repeat(200)}`))
  const outcomes = (await Promise.all(calls)).map(({ body }) => body.outcome)
  expect(outcomes.filter((outcome) => outcome === 'sent')).toHaveLength(3)
  expect(outcomes.filter((outcome) => outcome === 'limited')).toHaveLength(97)
  expect(await callsOf(alice, hook)).toHaveLength(10)
  expect(await textsBy(hook)).toHaveLength(8)
  const SUMMARY = `from sms_messages where sent_by = $1 and status = $2 and body = 'Alarm: and 97 more'`
  const summary = `select scheduled_at = (select pb_text(began + interval '1 hour') from hook_windows where hook = $1) ${SUMMARY}`
  expect(await query(summary, [hook.id, 'pending'])).toEqual([[true], [true]])
  const hurry = `update sms_dispatch set due_at = now() where message in (select id ${SUMMARY})`
  await query(hurry, [hook.id, 'pending'])
  await until(
    'the summary leaves',
    async () => (await query(summary, [hook.id, 'assigned'])).length === 2,
  )
  await query(`update hook_windows set began = began - interval '1 hour' where hook = $1`, [
    hook.id,
  ])
  expect((await post(hook, 'Alert 100')).body.outcome).toBe('sent')
  await remove(alice, hook)
})

test("a text in the hook's quiet hours waits for their end", async () => {
  const timeIn = (hours: number) =>
    new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)
  const [from, to] = [timeIn(-1), timeIn(2)]
  const hook = await hookOf(alice, { quiet_from: from, quiet_to: to })
  const { body } = await post(hook, 'Hi')
  const message = (await alice.call('GET', `${records('sms_messages')}/${body.messages[0]}`)).body
  expect([message.status, message.scheduled_at.slice(11, 16)]).toEqual(['pending', to])
  await remove(alice, hook)
})

describe('saving a hook is refused', () => {
  test.each([
    ['with an open template', { template: '{{#if a}}' }, 'template', 'validation_invalid_template'],
    [
      'with a template that is too long',
      { template: '{{#if a}}'.repeat(450) },
      'template',
      'validation_max_text_constraint',
    ],
    [
      'with wrong numbers',
      { recipients: ['0151 1'] },
      'recipients',
      'validation_invalid_recipients',
    ],
    [
      'with headers that are not JSON',
      { recipients: 'a\u0001' },
      'recipients',
      'validation_invalid_json',
    ],
    ['with a guessable secret', { secret: 'abc' }, 'secret', 'validation_invalid_format'],
    ['with a wrong condition', { send_when: 'status' }, 'send_when', 'validation_invalid_format'],
    ['beyond the rate', { rate: 1_001 }, 'rate', 'validation_max_number_constraint'],
  ])('%s for its field $2: $3', async (_, values, field, code) => {
    const body = { user: alice.id, name: 'x', preset: 'text', ...values }
    const answer = await alice.call('POST', records('hooks'), body)
    expect(answer).toMatchObject({ status: 400, body: { data: { [field]: { code } } } })
  })

  test('saving a hook is refused beyond 20 hooks of an account', async () => {
    const user = await fixture.makeUser()
    const creates = Array.from({ length: 22 }, () =>
      user.call('POST', records('hooks'), { user: user.id, name: 'x', preset: 'text' }),
    )
    const refused = (await Promise.all(creates)).filter(({ status }) => status === 400)
    expect(refused.map(({ body }) => body.data.user.code)).toEqual(
      Array(2).fill('validation_too_many_hooks'),
    )
  })
})

test('a preview shows the texts or the missing value', async () => {
  const preview = (hook: object, body: unknown) =>
    alice.call('POST', '/api/hooks/preview', {
      hook: { preset: 'text', recipients: [TO], ...hook },
      body,
    })
  const texts = [{ to: TO, text: 'Hi' }]
  const sent = { outcome: 'sent', error: '', texts, pictures: [] }
  expect((await preview({}, 'Hi')).body).toEqual(sent)
  const refused = { outcome: 'refused', error: 'The body has no a.b.', texts: [], pictures: [] }
  expect((await preview({ template: '{{a.b}}' }, '{"a":{}}')).body).toEqual(refused)
  expect((await preview({ template: '{{#if' }, 'Hi')).body.error).toMatch(
    /^The template cannot be read/,
  )
  for (const wrong of [{ preset: 'other' }, { line: '\0' }])
    expect((await preview(wrong, 'Hi')).status).toBe(400)
  expect((await guest.call('POST', '/api/hooks/preview', {})).status).toBe(401)
})

test('the log of a body that a hook cannot read has neither numbers nor words of people', async () => {
  const warn = vi.spyOn(fixture.server.services.log, 'warn')
  const hook = await hookOf(bob, { preset: 'alertmanager' })
  const refused = async (hook: { secret: string }, body: unknown, type = 'application/json') => {
    warn.mockClear()
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const headers = { 'content-type': type }
    const answer = await fetch(`${fixture.url}/api/hooks/${hook.secret}`, {
      method: 'POST',
      headers,
      body: text,
    })
    expect(answer.status).toBe(400)
    return warn.mock.calls.map(([values]) => values)
  }
  const form = 'application/x-www-form-urlencoded'
  const words = await refused(hook, 'Call Ann 0151 20000010, Code=7', form)
  expect(words).toMatchObject([{ keys: ['…'] }])
  const keys = { '@type': 1, n_0151_2000_0010: 1, '+4915120000010': 1, event_type: 1 }
  expect(await refused(hook, keys)).toMatchObject([{ keys: ['@type', '…', '…', 'event_type'] }])
  const named = await hookOf(bob, { recipients: [], recipients_from: 'to' })
  const unknown = await refused(named, { text: 'Hi', to: 'Ann "0151 20000010" Lee' })
  expect(unknown).toMatchObject([{ reason: expect.stringMatching(/^"…" is neither/) }])
  await remove(bob, hook)
  await remove(bob, named)
})
