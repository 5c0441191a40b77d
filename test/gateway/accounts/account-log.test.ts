import { request } from '../../support/server/request.ts'
import {
  type Client,
  must,
  startServerWithDevices,
} from '../../support/server/server-with-devices.ts'
import { makeKey } from '../../support/twilio/twilio-fixture.ts'

// The log of an account: what its owner and members did, who joined and who left.

const fixture = await startServerWithDevices()
const { superuser, query } = fixture
const records = (name: string, id = '') => `/api/collections/${name}/records${id && `/${id}`}`

let shop: Client
let ben: Client
beforeEach(async () => {
  shop = await fixture.makeUser()
  ben = await fixture.makeUser()
})

const log = async () =>
  (await must(shop, 'GET', `${records('account_audit')}?sort=@rowid`)).items.map(
    ({ action, collection, record, sender, fields }: Record<string, string>) => ({
      ...{ action, collection, record, sender, fields },
    }),
  )
const join = async (role = 'admin') => {
  const { link } = await must(shop, 'POST', '/api/account/invitations', { role })
  const secret = /#\/join\/(\w+)/.exec(link)![1]
  await must(ben, 'POST', '/api/account/invitations/accept', { secret })
  const [{ id }] = (await must(shop, 'GET', records('members'))).items
  return id as string
}

test('the log names a member who joined, and a member who left with the own sign-in', async () => {
  const id = await join()
  await must(ben, 'DELETE', records('members', id))
  expect(await log()).toMatchObject([
    { action: 'create', collection: 'member_invitations', sender: shop.id },
    { action: 'create', collection: 'members', record: id, sender: id, fields: ['role'] },
    { action: 'delete', collection: 'members', record: id, sender: id },
  ])
  expect(await query('select 1 from account_audit where "user" = $1', [ben.id])).toEqual([])
})

test('the log names a member whose user was deleted, and a member whom the owner removed', async () => {
  const id = await join()
  await must(superuser, 'DELETE', records('users', ben.id))
  expect((await log()).at(-1)).toMatchObject({ action: 'delete', record: id, sender: id })
  ben = await fixture.makeUser()
  const other = await join('viewer')
  await must(shop, 'PATCH', records('members', other), { role: 'agent' })
  await must(shop, 'DELETE', records('members', other))
  expect((await log()).slice(-2)).toMatchObject([
    { action: 'update', record: other, sender: shop.id, fields: ['role'] },
    { action: 'delete', record: other, sender: shop.id },
  ])
})

test("the log has the owner's and an admin's changes of settings and keys, without values", async () => {
  const settings = { user: shop.id, time_zone: 'Europe/Berlin' }
  const { id } = await must(shop, 'POST', records('user_settings'), settings)
  const membership = await join()
  const { token } = await must(ben, 'POST', '/api/account/act-for', { account: shop.id })
  const changed = await fetch(`${fixture.url}${records('user_settings', id)}`, {
    method: 'PATCH',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify({ keep_files: 30 }),
  })
  expect(changed.status).toBe(200)
  await must(shop, 'POST', records('api_keys'), { user: shop.id, name: 'secret-name' })
  const entries = await log()
  expect(entries).toMatchObject([
    { action: 'create', collection: 'user_settings', record: id, sender: shop.id },
    { collection: 'member_invitations' },
    { collection: 'members' },
    { action: 'update', collection: 'user_settings', sender: membership, fields: ['keep_files'] },
    { action: 'create', collection: 'api_keys', sender: shop.id },
  ])
  expect(JSON.stringify(entries)).not.toContain('secret-name')
})

test('the log has each text that the owner deletes, and no entry of a failed deletion', async () => {
  await fixture.pair(shop)
  const body = { recipients: ['+4915112345678'], body: 'Hello' }
  await must(shop, 'POST', '/api/sms/send', body)
  const [{ id }] = (await must(shop, 'GET', records('sms_messages'))).items
  expect((await ben.call('DELETE', records('sms_messages', id))).status).toBe(404)
  await must(shop, 'DELETE', records('sms_messages', id))
  expect(await log()).toMatchObject([
    { action: 'make pairing code', collection: 'devices' },
    { action: 'delete', collection: 'sms_messages', record: id, sender: shop.id },
  ])
})

test('the log has the changes of an API key by the APIs of Twilio and SMSGate', async () => {
  const device = await fixture.pair(shop)
  const key = await makeKey(shop, { scopes: ['all:any'] })
  const twilio = (method: string, path: string, form?: Record<string, string>) =>
    request(fixture.url, method, path, form && new URLSearchParams(form), {
      authorization: `Basic ${btoa(`${key.account_sid}:${key.auth_token}`)}`,
    })
  const smsgate = (method: string, path: string, body?: object) =>
    request(fixture.url, method, `/api/3rdparty/v1${path}`, body, {
      authorization: `Bearer ${key.key}`,
    })
  await must(shop, 'PATCH', records('devices', device.id), { phone: '+4915550000001' })
  const before = (await log()).length
  const { sid } = (await twilio('POST', '/v2/Services', { FriendlyName: 'Shop' })).body
  expect((await twilio('DELETE', `/v2/Services/${sid}`)).status).toBe(204)
  const numbers = `/2010-04-01/Accounts/${key.account_sid}/IncomingPhoneNumbers`
  const [number] = (await twilio('GET', `${numbers}.json`)).body.incoming_phone_numbers
  const change = (form: Record<string, string>) =>
    twilio('POST', `${numbers}/${number.sid}.json`, form)
  expect((await change({ FriendlyName: 'Front', SmsUrl: 'https://example.com/a' })).status).toBe(
    200,
  )
  expect((await change({ FriendlyName: 'Front', SmsUrl: '' })).status).toBe(200)
  const hook = { id: 'mine', url: 'https://example.com/b', event: 'sms:sent' }
  expect((await smsgate('POST', '/webhooks', hook)).status).toBe(201)
  expect((await smsgate('POST', '/webhooks', hook)).status).toBe(201)
  expect((await smsgate('POST', '/webhooks', { ...hook, event: 'no' })).status).toBe(400)
  expect((await smsgate('DELETE', '/webhooks/mine')).status).toBe(204)
  expect((await smsgate('DELETE', '/webhooks/mine')).status).toBe(204)
  expect((await smsgate('DELETE', `/devices/${device.id}`)).status).toBe(204)
  const entries = (await log()).slice(before)
  const acts = entries.map((one: Record<string, string>) => `${one.action} ${one.collection}`)
  expect(acts).toEqual([
    'create verify_services',
    'delete verify_services',
    'update devices',
    'create webhooks',
    'delete webhooks',
    'create webhooks',
    'update webhooks',
    'delete webhooks',
    'delete devices',
  ])
  const senders = entries.map(({ sender }: Record<string, string>) => sender)
  expect(new Set(senders)).toEqual(new Set([key.id]))
})
