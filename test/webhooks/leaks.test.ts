import { expect, test } from 'vitest'
import { forThisFile } from '../support/for-this-file.ts'
import { startServerWithDevices } from '../support/server/server-with-devices.ts'
import { makeWebhook } from '../support/webhook-fixture.ts'

const server = await forThisFile(startServerWithDevices())
const user = await server.makeUser()
const made = await makeWebhook(user, 'https://example.com/in')
const hook = made.id
const rotated = await user.call('POST', `/api/webhooks/${hook}/rotate`, {})
const secrets = [made.secret, rotated.body.secret]
await server.superuser.call('POST', `/api/webhooks/${hook}/test`, {})

const WEBHOOKS = '/api/collections/webhooks'
const batchView = {
  requests: [{ method: 'PATCH', url: `${WEBHOOKS}/records/HOOK`, body: { enabled: true } }],
}

test.each<[what: string, method: string, path: string, body?: object]>([
  ['a list', 'GET', `${WEBHOOKS}/records`],
  ['a list of these fields', 'GET', `${WEBHOOKS}/records?fields=secret,previous_secret,*`],
  ['a record', 'GET', `${WEBHOOKS}/records/HOOK`],
  ['an export', 'GET', `${WEBHOOKS}/export?fields=id,secret,previous_secret`],
  ['an expand', 'GET', '/api/collections/webhook_deliveries/records?expand=webhook'],
  ['an expand the other way', 'GET', `/api/collections/users/records?expand=webhooks_via_user`],
  [
    'an export with an expand',
    'GET',
    '/api/collections/webhook_deliveries/export?expand=webhook&fields=expand.webhook.secret',
  ],
  ['a change', 'PATCH', `${WEBHOOKS}/records/HOOK`, { enabled: true }],
  ['a change in a batch', 'POST', '/api/batch', batchView],
])('a secret is not in %s', async (_, method, path, body) => {
  const given = body && JSON.parse(JSON.stringify(body).replace('HOOK', hook))
  const answer = await user.call(method, path.replace('HOOK', hook), given)
  expect([answer.status, JSON.stringify(answer.body)]).toEqual([200, expect.anything()])
  for (const secret of secrets) expect(JSON.stringify(answer.body)).not.toContain(secret)
})

test.each([
  'secret ~ "whsec_"',
  'previous_secret != ""',
  'secret > "a"',
  '@collection.webhooks.secret ~ "w"',
])('nor can it be guessed by a filter: %s', async (filter) => {
  for (const path of ['records', 'export']) {
    const url = `${WEBHOOKS}/${path}?filter=${encodeURIComponent(filter)}`
    expect([400, 403]).toContain((await user.call('GET', url)).status)
  }
  const sorted = await user.call('GET', `${WEBHOOKS}/records?sort=secret`)
  expect(sorted.status).toBe(400)
})

test('the audit has none of it', async () => {
  const { body } = await server.superuser.call('GET', '/api/audit?perPage=200')
  expect(body.totalItems).toBeGreaterThan(0)
  expect(JSON.stringify(body)).not.toContain('whsec_')
})
