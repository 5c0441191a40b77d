import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { publishAuditEntries } from '../../../src/engine/auth/audit/publish-audit-entries.ts'
import { findAuditFaults } from '../../../src/main/doctor-audit.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { runServer } from '../../support/database/open.ts'
import { freePort } from '../../support/database/postgres.ts'
import { lastRelease } from '../../support/server/other-version.ts'
import { serve } from '../../support/server/program.ts'
import { CLI } from '../../support/server/program-files.ts'
import { request } from '../../support/server/request.ts'
import {
  type Client,
  client,
  makeUser,
  must,
  signIn,
} from '../../support/server/server-with-devices.ts'
import { SUPERUSER, testConfig } from '../../support/server/start.ts'
import { startMailServer } from '../../support/services/mail-server.ts'

// A database of the version that had a directory (SCIM), with what its directory made, then this version.

const config = await testConfig()
const { databaseUrl } = config
const mail = await startMailServer()
const release = lastRelease()
afterAll(() => release.remove())

const records = (collection: string, id = '') =>
  `/api/collections/${collection}/records${id && `/${id}`}`
const keys: Record<string, string> = {}

/** Makes a shop with people whom its directory has added: one by a domain, one invited, one by hand. */
async function fill(url: string) {
  const root = await signIn(url, '_superusers', SUPERUSER.email, SUPERUSER.password)
  await must(root, 'PATCH', '/api/settings', {
    smtp: { enabled: true, host: '127.0.0.1', port: mail.port },
    meta: { appURL: 'https://sms.example.com' },
  })
  await must(root, 'PATCH', '/api/collections/users', {
    oauth2: { enabled: true, providers: [{ name: 'google', clientId: 'c', clientSecret: 's' }] },
  })
  const shop = await makeUser(url, root, { verified: true, language: 'de' })
  const other = await makeUser(url, root, { verified: true })
  await must(root, 'POST', records('user_settings'), {
    user: shop.id,
    directory_domains: 'example.com',
  })
  await must(root, 'POST', records('directory_roles'), {
    user: shop.id,
    provider: 'google',
    claim: 'hd',
    value: 'example.com',
    role: 'agent',
  })
  for (const [name, scopes] of [
    ['directory', ['members:manage']],
    ['both', ['members:manage', 'messages:send']],
    ['sender', []],
    ['all', ['all:any']],
  ] as const)
    keys[name] = (
      await must(shop, 'POST', records('api_keys'), { user: shop.id, name, scopes })
    ).key
  const add = async (userName: string) => {
    const body = { userName, active: true, emails: [{ value: userName, primary: true }] }
    const headers = { authorization: `Bearer ${keys.directory}` }
    const { status, text } = await request(url, 'POST', '/scim/v2/Users', body, headers)
    if (status !== 201) throw new Error(text)
  }
  for (const email of ['ann@example.com', 'ben@example.com', 'carl@elsewhere.org']) await add(email)
  const dora = await makeUser(url, root, { email: 'dora@elsewhere.org' })
  const values = { account: shop.id, member: dora.id, role: 'agent' }
  await must(root, 'POST', records('members'), values)
  const member = { account: other.id, member: dora.id, role: 'viewer' }
  await must(root, 'POST', records('members'), member)
  // Ben has signed in by the provider once
  const { items } = await must(root, 'GET', `${records('users')}?filter=(email='ben@example.com')`)
  await must(root, 'POST', records('_externalAuths'), {
    collectionRef: items[0].collectionId,
    recordRef: items[0].id,
    provider: 'google',
    providerId: 'ben',
  })
  await must(root, 'POST', '/api/crons/auditSeals')
  return { shop: shop.id, email: shop.email, token: shop.token, root: root.token }
}

const env = { DATABASE_URL: databaseUrl!, HOST: '127.0.0.1', PORT: String(await freePort()) }
execFileSync(
  process.execPath,
  [
    join(release.home, 'bin/pocketsms.js'),
    'superuser',
    'upsert',
    SUPERUSER.email,
    SUPERUSER.password,
  ],
  { env: { ...process.env, ...env } },
)
const old = await serve(env, release.home)
const made = await fill(old.url)

const server = await runServer(config, createLogger({ logLevel: 'silent' }))
const { db } = server.services.store
const shop: Client = client(server.url, made.shop, made.token)
const root: Client = client(server.url, '', made.root)
const members = async () =>
  (await must(shop, 'GET', `${records('members')}?sort=@rowid`)).items as Record<string, string>[]

test('a server of the version before stops, and says why', async () => {
  const ready = () => request(old.url, 'GET', '/api/ready')
  await expect.poll(async () => (await ready()).status, { timeout: 10_000 }).toBe(503)
  await expect
    .poll(async () => (await ready()).text, { timeout: 10_000 })
    .toContain('newer version')
  await old.stop()
})

test('no table or column of the directory is left in the database', async () => {
  const { rows } = await db.query(`
    select c.relname from pg_class c where c.relname ~ 'directory_(people|groups)'
    union all select attname from pg_attribute where attname = 'directory_domains'
    union all select name from _collections
      where data::text ~ 'directory_(people|groups|domains)|members:manage'`)
  expect(rows).toEqual([])
  const collection = await must(root, 'GET', '/api/collections/api_keys')
  const scopes = collection.fields.find(({ name }: { name: string }) => name === 'scopes')
  expect([scopes.maxSelect, scopes.values.length, scopes.values.at(-1)]).toEqual([
    18,
    18,
    'all:any',
  ])
  expect((await request(server.url, 'GET', '/scim/v2/Users')).status).toBe(404)
})

test('sealed entries keep their numbers, the next entries follow, and no table of the seals is left', async () => {
  const sealed = (await db.query('select count(*) from _audit_numbers')).rows[0]![0]
  expect(Number(sealed)).toBeGreaterThan(0)
  expect((await findAuditFaults(db)).faults).toEqual([])
  await publishAuditEntries(db)
  const { faults, entries } = await findAuditFaults(db)
  expect([faults, entries > Number(sealed)]).toEqual([[], true])
  const { rows } = await db.query(
    `select relname from pg_class where relname ~ '_audit_(unsealed|seals|chains)'
     union all select tgname from pg_trigger where tgname = 'account_audit_queued'`,
  )
  expect(rows).toEqual([])
})

test('keys of the directory are deleted, and do not become keys that send; others work', async () => {
  const left = (await must(shop, 'GET', records('api_keys'))).items
  expect(left.map(({ name }: { name: string }) => name).sort()).toEqual(['all', 'sender'])
  const ask = async (key: string) => {
    const body = { recipients: ['+4915112345678'], body: 'Hello' }
    return (await request(server.url, 'POST', '/api/sms/send', body, { 'x-api-key': key })).status
  }
  expect([await ask(keys.directory!), await ask(keys.both!)]).toEqual([401, 401])
  expect(await ask(keys.sender!)).not.toBe(401)
  const log = await must(shop, 'GET', `${records('account_audit')}?filter=(collection='api_keys')`)
  expect(log.items.map(({ action }: { action: string }) => action)).toEqual(['delete', 'delete'])
})

test('a member by the provider must prove the role in a day; others stay until a person decides', async () => {
  const [ann, ben, dora] = await members()
  expect([ann!.directory, ann!.proven_until]).toEqual(['former', ''])
  expect(ben!.directory).toBe('google')
  const hours = (Date.parse(ben!.proven_until!) - Date.now()) / 3_600_000
  expect(hours).toBeGreaterThan(23)
  expect(hours).toBeLessThan(24.1)
  expect([dora!.directory, dora!.proven_until]).toEqual(['', ''])
  const jobs = await db.query(`select key from _jobs where kind = 'directory_proof'`)
  expect(jobs.rows).toEqual([[ben!.id]])
  expect((await must(shop, 'GET', records('member_invitations'))).items).toEqual([])
})

test('the owner gets one mail in the own language, and a card of Today lists the members', async () => {
  await expect.poll(() => mail.mails.filter(({ to }) => to === made.email).length).toBe(1)
  const { subject, text } = mail.mails.find(({ to }) => to === made.email)!
  expect(subject).toBe('Entscheiden Sie, wer in Ihrem Team bleibt')
  expect(text).toContain('ann')
  expect(text).not.toMatch(/ben@|dora@/)
  const { hands } = await must(shop, 'GET', '/api/account/today')
  expect(hands).toMatchObject([{ kind: 'former_member', name: expect.stringContaining('ann') }])
})

/** What `pocketsms doctor` prints about members. */
function askDoctor(): string {
  try {
    return execFileSync(process.execPath, [CLI, 'doctor'], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

test('the doctor names the account until the owner keeps or removes each member', async () => {
  expect(askDoctor()).toMatch(new RegExp(`^FAULT +members .*${made.email}\n`, 'm'))
  const [ann] = await members()
  await must(shop, 'PATCH', records('members', ann!.id), { notify: 'all' }).catch(() => {})
  expect((await members())[0]!.directory).toBe('former')
  await must(shop, 'PATCH', records('members', ann!.id), { directory: '' })
  expect((await members())[0]!.directory).toBe('')
  expect((await must(shop, 'GET', '/api/account/today')).hands).toEqual([])
  expect(askDoctor()).toMatch(/^ok +members /m)
})
