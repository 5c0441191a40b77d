import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deleteSuperuser, upsertSuperuser } from '../../../src/engine/auth/superusers.ts'
import { importFiles } from '../../../src/engine/import/import-fixtures.ts'
import { createApp } from '../../../src/main/app.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { PASSWORD, startServerWithMail, tokenIn } from '../../support/server/server-with-mail.ts'
import { SUPERUSER } from '../../support/server/start.ts'

const server = await startServerWithMail({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const root = await server.superuser()
const user = await server.addUser('ann@example.com')

beforeEach(() => server.rows('delete from _audit'))

const deeds = async () => {
  const columns = 'action, collection, record, fields, email, ip'
  const rows = await server.rows(
    `select to_json(t) from (select ${columns} from _audit order by _rowid) t`,
  )
  return rows.flat().map((row) => JSON.parse(String(row)))
}
const by = { email: SUPERUSER.email, ip: '127.0.0.1' }

const values = { user, url: 'http://127.0.0.1:1/', events: ['message.sent'] }
const hook = String((await server.post('/api/collections/webhooks/records', values, root)).body.id)

describe("a superuser's action on a user's webhook", () => {
  test.each([
    ['a test', 'test', {}, 'test webhook'],
    ['a new secret', 'rotate', {}, 'rotate secret'],
    ['all again', 'resend-failed', { since: '2026-01-01' }, 'resend failed'],
  ])(
    'a superuser\'s action on a user\'s webhook is audited as "$3" after %s',
    async (_, path, body, action) => {
      expect((await server.post(`/api/webhooks/${hook}/${path}`, body, root)).status).toBe(200)
      expect(await deeds()).toEqual([
        { action, collection: 'webhooks', record: hook, fields: [], ...by },
      ])
      expect((await server.post(`/api/webhooks/webhooknobodyhas/${path}`, body, root)).status).toBe(
        404,
      )
      expect(await deeds()).toHaveLength(1)
    },
  )

  test("a superuser's action on a user's webhook is audited when one delivery is sent again", async () => {
    const { body } = await server.post(`/api/webhooks/${hook}/test`, {}, root)
    await server.rows('delete from _audit')
    expect((await server.post(`/api/webhooks/deliveries/${body.id}/resend`, {}, root)).status).toBe(
      200,
    )
    const of = { collection: 'webhook_deliveries', record: String(body.id) }
    expect(await deeds()).toEqual([{ action: 'resend', ...of, fields: [], ...by }])
  })

  test("a superuser's action on a user's webhook is not audited when its owner does it, and a new secret may not be cached", async () => {
    const headers = { authorization: await server.signIn('users', 'ann@example.com', PASSWORD) }
    const rotated = await server.post(`/api/webhooks/${hook}/rotate`, {}, headers)
    expect(rotated.status).toBe(200)
    expect(rotated.headers.get('cache-control')).toBe('no-store')
    expect(await deeds()).toEqual([])
  })
})

describe('a change confirmed by a mailed link', () => {
  const token = async () => tokenIn((await server.mail.next()).text)
  const ip = '127.0.0.1'

  test('a change confirmed by a mailed link is audited for a new password of a superuser and of a user', async () => {
    await upsertSuperuser(server.server.services.store, 'two@example.com', 'a-long-password')
    await server.rows('delete from _audit')
    for (const [collection, email] of [
      ['_superusers', 'two@example.com'],
      ['users', 'ann@example.com'],
    ]) {
      const url = `/api/collections/${collection}`
      await server.post(`${url}/request-password-reset`, { email })
      const body = { token: await token(), password: PASSWORD, passwordConfirm: PASSWORD }
      const confirm = (form: object) => server.post(`${url}/confirm-password-reset`, form)
      expect((await confirm({ ...body, token: 'wrong' })).status).toBe(400)
      expect((await confirm(body)).status).toBe(204)
    }
    const noted = { action: 'reset password', fields: [], ip }
    const record = expect.stringMatching(/^\w{15}$/)
    expect(await deeds()).toEqual([
      { ...noted, collection: '_superusers', record, email: 'two@example.com' },
      { ...noted, collection: 'users', record: user, email: '' },
    ])
  })

  test('a change confirmed by a mailed link is audited for a new address of a user', async () => {
    const headers = { authorization: await server.signIn('users', 'ann@example.com', PASSWORD) }
    const url = '/api/collections/users'
    await server.post(`${url}/request-email-change`, { newEmail: 'eve@example.com' }, headers)
    const body = { token: await token(), password: PASSWORD }
    expect((await server.post(`${url}/confirm-email-change`, body)).status).toBe(204)
    const noted = { action: 'change email', collection: 'users', record: user }
    expect(await deeds()).toEqual([{ ...noted, fields: [], email: '', ip }])
    expect(JSON.stringify(await deeds())).not.toContain('eve@')
  })
})

test("a superuser's test mail is audited", async () => {
  const body = { template: 'verification', email: 'ops@example.com' }
  expect((await server.post('/api/settings/test/email', body, root)).status).toBe(204)
  expect(await deeds()).toEqual([
    { action: 'test mail', collection: '', record: '', fields: [], ...by },
  ])
})

describe('a command at the terminal', () => {
  const here = { email: '', ip: 'terminal' }

  test('a command at the terminal is audited when it creates, changes or deletes superusers', async () => {
    const { store } = server.server.services
    await upsertSuperuser(store, 'new@example.com', 'a-long-password')
    await upsertSuperuser(store, 'new@example.com', 'another-long-one')
    await deleteSuperuser(store, 'new@example.com')
    await expect(upsertSuperuser(store, 'no address', 'x')).rejects.toThrow()
    const of = { collection: '_superusers', record: expect.stringMatching(/^\w{15}$/), ...here }
    expect(await deeds()).toEqual([
      { action: 'create', fields: ['email', 'password'], ...of },
      { action: 'update', fields: ['email', 'password'], ...of },
      { action: 'delete', fields: [], ...of },
    ])
  })

  test('a command at the terminal is audited when it imports records', async () => {
    const folder = temporaryFolder()
    const fixtures = join(folder, 'fixtures.json')
    const contact = { id: 'contact00000001', user, name: 'Bob', phone: '+4915112345678' }
    writeFileSync(fixtures, JSON.stringify({ contacts: [contact] }))
    await importFiles(server.server.services.store, new Map(), { fixtures }, () => {})
    writeFileSync(fixtures, JSON.stringify({ contacts: [{ ...contact, phone: 1 }, 'no record'] }))
    await expect(
      importFiles(server.server.services.store, new Map(), { fixtures }, () => {}),
    ).rejects.toThrow()
    const noted = { action: 'import', collection: '', record: '', fields: ['contacts'] }
    expect(await deeds()).toEqual([{ ...noted, ...here }])
  })
})

const { routes } = createApp(server.server.services)
const writing = routes
  .filter(({ method }) => !['ALL', 'GET', 'HEAD', 'OPTIONS'].includes(method))
  .map(
    ({ method, path }) =>
      `${method} ${path.replace(/:\w+(\{[^}]*\})?/g, '{}').replace(/(.)\/$/, '$1')}`,
  )

/**
 * Our routes that change something and that superusers may call: what notes it, or why nothing does. All
 * others are for users, their keys and devices alone, as the last test shows.
 */
const ROUTES: Readonly<Record<string, readonly string[]>> = {
  'noted where it is done': [
    'POST /api/collections/{}/records',
    'PATCH /api/collections/{}/records/{}',
    'DELETE /api/collections/{}/records/{}',
    'POST /api/batch',
    'POST /api/collections',
    'PUT /api/collections/import',
    'PATCH /api/collections/{}',
    'DELETE /api/collections/{}',
    'DELETE /api/collections/{}/truncate',
    'PATCH /api/settings',
    'POST /api/settings/test/email',
    'DELETE /api/logs',
    'POST /api/crons/{}',
    'POST /api/backups',
    'POST /api/backups/upload',
    'POST /api/backups/{}/restore',
    'DELETE /api/backups/{}',
    'POST /api/settings/test/s3',
    'POST /api/collections/{}/impersonate/{}',
    'POST /api/collections/{}/auth-with-password',
    'POST /api/collections/{}/auth-with-otp',
    'POST /api/collections/{}/auth-with-passkey',
    'POST /api/collections/{}/confirm-password-reset',
    'POST /api/collections/{}/confirm-email-change',
    'POST /api/account/end-other-sessions',
    'DELETE /api/account/sessions/{}',
    'POST /api/webhooks/{}/test',
    'POST /api/webhooks/{}/rotate',
    'POST /api/webhooks/{}/resend-failed',
    'POST /api/webhooks/deliveries/{}/resend',
    'POST /api/users/{}/enable',
    'DELETE /api/users/{}/second-factor',
    'POST /api/account/second-factor/confirm',
    'POST /api/account/second-factor/remove',
    'POST /api/account/passkeys',
    'POST /api/account/passkeys/{}/remove',
  ],
  'changes no record': [
    'POST /api/collections/meta/dry-run-view',
    'POST /api/collections/{}/auth-refresh',
    'POST /api/collections/{}/request-otp',
    'POST /api/account/second-factor',
    'POST /api/account/passkeys/challenge',
    'POST /api/account/passkeys/options',
    'POST /api/collections/{}/passkey-options',
    'PATCH /api/account/passkeys/{}',
    'POST /api/collections/{}/request-verification',
    'POST /api/collections/{}/request-password-reset',
    'POST /api/collections/{}/request-email-change',
    'POST /api/files/token',
    'POST /api/oauth2-redirect',
    'POST /api/realtime',
    'POST /api/settings/apple/generate-client-secret',
    'POST /api/verify',
    'POST /api/verify/check',
    'POST /api/verify/cancel',
    'POST /api/sms/preview',
    'POST /api/hooks/preview',
    'POST /api/account/invitations/show',
  ],
  'is for the people who get texts': ['POST /join/{}', 'POST /leave/{}'],
  'always refuses': ['POST /api/sql'],
  'lets a user in, and superusers never': ['POST /api/collections/{}/auth-with-oauth2'],
  'says only that an address is read': ['POST /api/collections/{}/confirm-verification'],
  'is for who knows the secret of a hook': ['POST /api/hooks', 'POST /api/hooks/{}'],
  'is for who knows the token of a carrier': ['POST /api/devices/carriers/calls/{}'],
  'is for devices alone': [
    'POST /api/devices/pair',
    'POST /api/devices/heartbeat',
    'PUT /api/devices/push',
    'POST /api/devices/claim',
    'POST /api/devices/report',
    'POST /api/devices/incoming',
    'POST /api/devices/typed',
    'POST /api/mobile/v1/incoming/{}',
  ],
}

const LISTED = new Set(Object.values(ROUTES).flat())

test('the list names only routes that exist', () => {
  expect([...LISTED].filter((route) => !writing.includes(route))).toEqual([])
})

const others = writing.filter((route) => !LISTED.has(route))
test.each([...new Set(others)])('a superuser cannot call %s', async (route) => {
  const [method, path] = route.split(' ') as [string, string]
  const rpc = { method: 'sms.send_sms', params: {} }
  const body = {
    recipients: ['+4915112345678'],
    body: 'x',
    template_id: 'x',
    to: ['x'],
    text: 'x',
    ...rpc,
  }
  expect([401, 403]).toContain(
    (await server.call(method, path.replace('{}', 'x'), body, root)).status,
  )
})
