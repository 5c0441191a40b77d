import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { tablesWith } from '../../support/database/dump.ts'
import { runServer } from '../../support/database/open.ts'
import { request } from '../../support/server/request.ts'
import { must, startServerWithDevices } from '../../support/server/server-with-devices.ts'
import { testConfig } from '../../support/server/start.ts'

const fixture = await startServerWithDevices()
const { store } = fixture.server.services
const ann = await fixture.makeUser()
const phone = await fixture.pair(ann)
const RECORDS = '/api/collections/hooks/records'
const TO = '+4915112345678'
const KEY = Buffer.from('a secret of thirty-two characters').toString('base64')

const makeHook = (values: object) =>
  must(ann, 'POST', RECORDS, { user: ann.id, name: 'Codes', ...values })
const post = ({ secret }: { secret: string }, body: unknown, headers = {}, url = fixture.url) =>
  request(url, 'POST', `/api/hooks/${secret}`, body, headers)
/** What the phone claims; it says at once that it was sent. */
async function claimed() {
  const { items } = await must(phone, 'POST', '/api/devices/claim', { limit: 10 })
  for (const { id, attempt } of items)
    await must(phone, 'POST', '/api/devices/report', { items: [{ id, attempt, status: 'sent' }] })
  return items
}
const remove = ({ id }: { id: string }) => must(ann, 'DELETE', `${RECORDS}/${id}`)

const SUPABASE = {
  metadata: { uuid: 'f', name: 'send-sms' },
  user: { phone: '4915112345678' },
  sms: { otp: '471103' },
}
const zitadel = (text: string, args: object) => ({
  contextInfo: {
    eventType: 'session.otp.sms.challenged',
    provider: { id: '1' },
    recipientPhoneNumber: TO,
  },
  templateData: { title: 'Zitadel', text },
  args: { ...args, lastPhone: TO },
})
const KEYCLOAK = 'Your SMS code is 471103 and is valid for 5 minutes.'

// else all of these codes to one number would be too many
beforeEach(() => fixture.query(`delete from auth_tries where key like 'code %'`))

test.each([
  ['supabase', 'Your code is 471103', SUPABASE],
  [
    'supabase',
    'Your code is 471103',
    { user: { phone: '49999' }, sms: { otp: '471103', phone: TO.slice(1) } },
  ],
  ['zitadel', '471103 is your password. @example.com #471103', undefined, { oTP: '471103' }],
  ['zitadel', 'Use the code KXQWRT.', undefined, { code: 'KXQWRT' }, 'KXQWRT'],
  [
    'kratos',
    'Your login code is: 471103',
    { recipient: TO, template_type: 'login_code_valid', body: 'Your login code is: 471103\n' },
  ],
  [
    'logto',
    'Your code is 471103',
    { to: TO, type: 'SignIn', payload: { code: '471103' }, ip: '192.0.2.1' },
  ],
  ['authentik', 'Code: 471103', { From: 'x', To: TO, Body: '471103', Message: 'Code: 471103' }],
  ['authentik', 'Your code is 471103', { From: 'x', To: TO, Body: '471103' }],
  ['keycloak', KEYCLOAK, { '': 'changeme', text: KEYCLOAK, to: TO, from: 'Keycloak' }],
  ['nhost', '471103', { to: TO, text: '471103' }],
])(
  '%s: the code in %j reaches the phone and is masked everywhere else',
  async (preset, text, body, args: object = {}, code: string = '471103') => {
    const hook = await makeHook({ preset })
    expect(hook.kind).toBe('codes')
    const answer = await post(hook, body ?? zitadel(text, args))
    expect(answer.body).toMatchObject({ outcome: 'sent' })
    expect(await claimed()).toMatchObject([{ to: TO, body: text, priority: 127 }])
    const [id] = answer.body.messages
    const shown = text.replaceAll(code, '•'.repeat(code.length))
    const message = await must(ann, 'GET', `/api/collections/sms_messages/records/${id}`)
    expect(message.body).toBe(shown)
    const calls = await must(
      ann,
      'GET',
      `/api/collections/hook_calls/records?filter=hook="${hook.id}"`,
    )
    expect(calls.items).toMatchObject([{ body: '', texts: [{ to: TO, text: shown }] }])
    expect(await tablesWith(store.db, [code])).toEqual([])
    const missing = await post(hook, { text: 'Hi' })
    expect(missing.body.error?.message ?? missing.body.message).toMatch(/^The body has no /)
    await remove(hook)
  },
)

const at = (seconds = 0) => new Date(Date.now() + seconds * 1000)
function standard(raw: string, { key = KEY, seconds = 0, id = 'msg_1' }) {
  const signature = new Webhook(key).sign(id, at(seconds), raw)
  const timestamp = String(Math.floor(at(seconds).getTime() / 1000))
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,AAAA, ${signature}`,
  }
}
/** The header names of Svix. */
const ofSvix = (raw: string, more: object) =>
  Object.fromEntries(
    Object.entries(standard(raw, more)).map(([name, value]) => [
      name.replace('webhook', 'svix'),
      value,
    ]),
  )
function ofZitadel(raw: string, { key = KEY, seconds = 0 }) {
  const t = Math.floor(at(seconds).getTime() / 1000)
  const v1 = createHmac('sha256', key).update(`${t}.${raw}`).digest('hex')
  return { 'zitadel-signature': `t=${t},v1=00,v1=${v1}` }
}

describe.each([
  ['supabase', `v1,whsec_${KEY}`, standard, SUPABASE],
  ['logto', `whsec_${KEY}`, standard, { to: TO, payload: { code: '471103' } }],
  ['keycloak', `whsec_${KEY}`, ofSvix, { to: TO, text: '471103' }],
  ['zitadel', KEY, ofZitadel, zitadel('471103', { oTP: '471103' })],
])('a signed call: %s', (preset, signing_secret, sign, value) => {
  const body = JSON.stringify(value)
  const refused = (answer: { status: number; body: { error?: { http_code: number } } }) =>
    (preset === 'supabase' ? answer.body.error?.http_code : answer.status) === 401

  test('a signed call is refused with a wrong signature or time', async () => {
    const hook = await makeHook({ preset, signing_secret })
    const tries: [string, object][] = [
      [body, {}],
      [body, sign(body, { key: Buffer.from('another secret').toString('base64') })],
      [body, sign(body, { seconds: -310 })],
      [body, sign(body, { seconds: 310 })],
      [body.replace('471103', '471104'), sign(body, {})],
    ]
    for (const [raw, headers] of tries) {
      const answer = await post(hook, raw, headers)
      expect([refused(answer), headers]).toEqual([true, headers])
    }
    expect(await claimed()).toEqual([])
    const { items } = await must(
      ann,
      'GET',
      `/api/collections/hook_calls/records?filter=hook="${hook.id}"`,
    )
    expect(items.map((call: { outcome: string }) => call.outcome)).toEqual(
      tries.map(() => 'refused'),
    )
    await remove(hook)
  })

  test('a signed call is sent once, even when made on two nodes at once and repeated later', async () => {
    const hook = await makeHook({ preset, signing_secret, once_key: '{{#if x}}{{x}}{{/if}}' })
    await must(ann, 'PATCH', `${RECORDS}/${hook.id}`, { once_minutes: 0 })
    const { databaseUrl } = fixture.server.services.config
    const second = await runServer(await testConfig({ DATABASE_URL: databaseUrl! }))
    onTestFinished(() => second.stop())
    const headers = sign(body, {})
    const calls = Array.from({ length: 20 }, (_, i) =>
      post(hook, body, headers, i % 2 ? second.url : fixture.url),
    )
    const outcomes = (await Promise.all(calls)).map((answer) => answer.body.outcome)
    expect(outcomes.sort()).toEqual([...Array(19).fill('repeated'), 'sent'])
    expect(await claimed()).toHaveLength(1)
    expect((await post(hook, body, sign(body, { seconds: 1, id: 'msg_2' }))).body.outcome).toBe(
      'sent',
    )
    expect(await claimed()).toHaveLength(1)
    await remove(hook)
  })
})

test('Supabase gets a refusal in the form that it reads', async () => {
  const hook = await makeHook({ preset: 'supabase', rate: 1 })
  const told = async (body: object) => {
    const answer = await post(hook, body)
    return [answer.status, answer.body.error]
  }
  const wrong = { http_code: 400, message: expect.stringMatching('Recipient 1 is not a number') }
  expect(await told({ ...SUPABASE, user: { phone: '0151 1' } })).toEqual([200, wrong])
  const settings = { user: ann.id, destinations: '+49' }
  await must(fixture.superuser, 'POST', '/api/collections/user_settings/records', settings)
  const elsewhere = { http_code: 403, message: expect.stringMatching('may not send') }
  expect(await told({ ...SUPABASE, user: { phone: '33612345678' } })).toEqual([200, elsewhere])
  expect(await told(SUPABASE)).toEqual([200, undefined])
  const limited = { http_code: 429, message: expect.stringMatching('as many codes') }
  expect(await told({ ...SUPABASE, metadata: { uuid: 'other' } })).toEqual([200, limited])
  await must(ann, 'PATCH', `${RECORDS}/${hook.id}`, { enabled: false })
  expect(await told(SUPABASE)).toEqual([200, { http_code: 400, message: 'The hook is off.' }])
  expect(await claimed()).toHaveLength(1)
  await remove(hook)
})

test.each([
  ['supabase', 'whsec_'],
  ['text', 'a secret'],
])('%s: the signing secret "%s" is refused', async (preset, signing_secret) => {
  const answer = await ann.call('POST', RECORDS, {
    user: ann.id,
    name: 'x',
    preset,
    signing_secret,
  })
  const fault = expect.objectContaining({ code: 'validation_invalid_secret' })
  expect(answer.body.data).toEqual({ signing_secret: fault })
})
