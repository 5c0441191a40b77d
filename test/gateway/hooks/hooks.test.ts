import { client } from '../../support/server/server-with-devices.ts'
import { until } from '../../support/until.ts'
import { alertmanager, records, startHooksFixture, TO } from './hooks-fixture.ts'

const fixture = await startHooksFixture()
const { guest, superuser, query, alice, bob, made, hookOf, post, textsBy, callsOf, remove } =
  fixture

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
