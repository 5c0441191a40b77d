import { makeStopLinks } from '../../src/gateway/base/stop-link.ts'
import { makeRandomId } from '../../src/platform/tools/random.ts'
import { freePort } from '../support/database/postgres.ts'
import { client, must, startServerWithDevices } from '../support/server/server-with-devices.ts'

// One account with texts and contacts, and everybody who may ask for something of it: people in each role,
// API keys with each limit, a device, a hook, a code service, and nobody.

/** What must not be shown to a caller who may not read it. */
export const SECRETS = {
  contact: 'Zenobia Quill',
  field: 'DE-IBAN-4711',
  text: 'The vault opens at nine',
}
export const NUMBER = '+4915112345678'
/** A number to which the account may not send. */
export const FORBIDDEN = '+8816123456'

/** A caller's credentials: a token of Authorization, or an API key with the id of its record. */
export interface Caller {
  readonly name: string
  readonly token?: string
  readonly key?: string
  readonly keyId?: string
}

export const smtpPort = await freePort()
export const fixture = await startServerWithDevices({ SMTP_PORT: String(smtpPort) })
export const { url, query, server, guest } = fixture
const signIns = { otp: { enabled: true }, oauth2: { enabled: true } }
await must(fixture.superuser, 'PATCH', '/api/collections/users', signIns)
const shop = await fixture.makeUser()
export const user = shop.id
const make = (collection: string, values: object) =>
  must(shop, 'POST', `/api/collections/${collection}/records`, {
    user,
    name: collection,
    ...values,
  })

export const phone = await fixture.pair(shop)
await query(`update devices set sims = '[{"slot":1},{"slot":2}]' where id = $1`, [phone.id])
export const lines = (
  await query('select id from lines where device = $1 order by slot', [phone.id])
).flat()
export const group = (await make('contact_groups', {})).id as string
const joined = (await make('contact_groups', { name: 'News', join_page: true })).id as string
/** The public page of a group, and the version of its text. */
export const joinPage = {
  id: joined,
  version: /name="version" value="(\w+)"/.exec(
    await (await fetch(`${url}/join/${joined}`)).text(),
  )![1]!,
}
await make('user_settings', { destinations: '-881' })
const data = { iban: SECRETS.field }
export const contact = (
  await make('contacts', { name: SECRETS.contact, phone: NUMBER, groups: [group], data })
).id as string
export const contactField = (await make('contact_fields', { name: 'City', type: 'text' }))
  .id as string
await make('consents', { number: '+4915144444444', event: 'opt_in', said: SECRETS.text })
/** The page by which a person ends the texts of the account. */
export const leaveToken = (
  await makeStopLinks(server.services.store.forEverybody('test').db, { publicUrl: '' }, user)
)('+4915155555555')!
  .split('/')
  .at(-1)!
export const template = (await make('sms_templates', { body: '{{code}}' })).id as string
export const service = (await make('verify_services', { destinations: '+49' })).id as string
export const verification = makeRandomId()
await query(
  `insert into verifications (id, "user", service, "to", channel, status, created, updated)
  values ($1, $2, $3, $4, 'sms', 'canceled', pb_text(now()), pb_text(now()))`,
  [verification, user, service, NUMBER],
)
const hook = await make('hooks', {
  preset: 'text',
  recipients: [NUMBER],
  once_minutes: 0,
  rate: 1000,
})
export const { secret } = hook as { secret: string }
await fixture.hear(phone, [[NUMBER, SECRETS.text]])

const MEMBERS = '/api/collections/members/records'

/** A person who acts for the account in a role. `now`: the role since the token was made. */
async function member(role: string, now = role): Promise<string> {
  const person = await fixture.makeUser()
  const { id } = await must(fixture.superuser, 'POST', MEMBERS, {
    account: user,
    member: person.id,
    role,
  })
  const { token } = await must(person, 'POST', '/api/account/act-for', { account: user })
  if (now !== role) await must(fixture.superuser, 'PATCH', `${MEMBERS}/${id}`, { role: now })
  return token
}

const twilio = await make('api_keys', { twilio: true })
export const twilioSid = twilio.account_sid as string

const KEYS: Readonly<Record<string, object>> = {
  'key: default scopes': {},
  'key: messages:send': { scopes: ['messages:send'] },
  'key: messages:read': { scopes: ['messages:read'] },
  'key: messages:list': { scopes: ['messages:list'] },
  'key: messages:cancel': { scopes: ['messages:cancel'] },
  'key: inbox:list': { scopes: ['inbox:list', 'devices:list', 'webhooks:list'] },
  'key: all:any': { scopes: ['all:any'] },
  'key: other destinations': { scopes: ['messages:send', 'messages:cancel'], destinations: '+1' },
  'key: another line': { scopes: ['messages:send', 'messages:cancel'], lines: [lines[1]] },
  'key: disabled': { disabled: true },
  'key: expired': { expires_at: '2020-01-01 00:00:00.000Z' },
}

export const CALLERS: readonly Caller[] = [
  { name: 'guest' },
  { name: 'viewer', token: await member('viewer') },
  { name: 'agent', token: await member('agent') },
  { name: 'admin', token: await member('admin') },
  { name: 'owner', token: shop.token },
  { name: 'former admin', token: await member('admin', 'agent') },
  { name: 'device', token: phone.token },
  { name: 'hook', token: secret },
  { name: 'code service', token: service },
  { name: 'key: twilio', key: `psk_${String(twilio.auth_token).slice(3)}`, keyId: twilio.id },
  ...(await Promise.all(
    Object.entries(KEYS).map(async ([name, limits]) => {
      const { id: keyId, key } = await make('api_keys', limits)
      return { name, key, keyId }
    }),
  )),
]
export const owner = client(url, user, shop.token)
