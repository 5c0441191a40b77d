import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLogger } from '../../src/log.ts'
import { type RunningServer, start } from '../../src/server.ts'
import { type BackupServer, startBackupServer } from '../support/services/backups.ts'
import { findS3Server, NO_S3_SERVER, startS3Server } from '../support/services/s3-server.ts'

const PASSWORD = 'password1'
const isOver = ({ running }: { running: unknown }) => running === null

/** A user with a session, an API key and a device, and one text that waits. */
async function fill(site: BackupServer) {
  const email = 'ann@example.com'
  const user = (
    await site.call('POST', '/api/collections/users/records', {
      email,
      password: PASSWORD,
      passwordConfirm: PASSWORD,
      verified: true,
    })
  ).body.id as string
  const { token } = (
    await site.call('POST', '/api/collections/users/auth-with-password', {
      identity: email,
      password: PASSWORD,
    })
  ).body
  const asUser = { authorization: token as string }
  const { key } = (
    await site.call('POST', '/api/collections/api_keys/records', { user, name: 'shop' }, asUser)
  ).body
  const { code } = (await site.call('POST', '/api/devices/pairing', { name: 'phone' }, asUser)).body
  const paired = await site.call('POST', '/api/devices/pair', { code, platform: 'simulator' }, {})
  return {
    user,
    asUser,
    withKey: { 'x-api-key': key as string },
    asDevice: { authorization: paired.body.token as string },
  }
}

const send = (site: BackupServer, headers: Record<string, string>, body = 'hello') =>
  site.call('POST', '/api/sms/send', { recipients: ['+4915112345678'], body }, headers)

const messages = async (site: BackupServer): Promise<[body: string, status: string, error: string][]> =>
  (await site.call('GET', '/api/collections/sms_messages/records?sort=created')).body.items.map(
    ({ body, status, error_message }: Record<string, string>) => [body, status, error_message],
  )

describe('a backup that is restored', () => {
  let site: BackupServer
  let who: Awaited<ReturnType<typeof fill>>
  beforeAll(async () => {
    site = await startBackupServer()
    who = await fill(site)
  })
  afterAll(() => site.stop())

  test('brings everything back, and what was signed in before still is', async () => {
    expect((await send(site, who.withKey, 'before')).status).toBe(200)
    expect((await site.call('POST', '/api/backups', { name: 'a.zip' })).status).toBe(204)
    await send(site, who.withKey, 'after')
    const { body: group } = await site.call('POST', '/api/collections/contact_groups/records', {
      user: who.user,
      name: 'lost',
    })
    expect((await messages(site)).map(([body]) => body)).toEqual(['before', 'after'])

    const restoring = await site.call('POST', '/api/backups/a.zip/restore')
    expect([restoring.status, restoring.text]).toEqual([204, ''])
    expect((await site.call('POST', '/api/backups/a.zip/restore')).status).toBeGreaterThanOrEqual(400)
    const status = await site.status((one) => isOver(one) && one.lastRestore)
    expect(status).toMatchObject({
      lastFailure: null,
      lastRestore: { action: 'restore', key: 'a.zip', by: 'root@example.com' },
      lastBackup: { key: 'a.zip' },
    })

    expect(await messages(site)).toEqual([
      ['before', 'failed', expect.stringMatching(/restored from a backup/)],
    ])
    expect((await site.call('GET', `/api/collections/contact_groups/records/${group.id}`)).status).toBe(404)
    expect(
      (await site.call('POST', '/api/collections/users/auth-refresh', undefined, who.asUser)).status,
    ).toBe(200)
    expect((await site.call('POST', '/api/devices/claim', {}, who.asDevice)).status).toBe(200)
    expect((await send(site, who.withKey, 'again')).status).toBe(200)
    const { items } = (await site.call('GET', '/api/audit?filter=action="restore backup"')).body
    expect(items.map(({ record, email }: Record<string, string>) => [record, email])).toEqual([
      ['a.zip', 'root@example.com'],
    ])
    // what is known of backups is not restored: another restore can follow, from the list as it is
    expect(await site.keys()).toEqual(['a.zip'])
  })

  test('is refused while it runs, with a time to come again, and is lost nowhere', async () => {
    await site.call('POST', '/api/backups', { name: 'b.zip' })
    const before = (await messages(site)).length
    await site.call('POST', '/api/backups/b.zip/restore')
    const answers = new Map<number, string | null>()
    let accepted = 0
    let wasRefused = false
    const probes = new Set<string>()
    for (;;) {
      const sent = await send(site, who.withKey, 'meanwhile')
      answers.set(sent.status, sent.headers.get('retry-after'))
      if (sent.status === 503) wasRefused = true
      const [health, ready] = await Promise.all(
        ['health', 'ready'].map((name) => site.call('GET', `/api/${name}`)),
      )
      probes.add(`health ${health!.status}, ready ${ready!.status}`)
      if (sent.status === 200 && wasRefused) accepted++
      if (accepted === 3) break
    }
    expect([...answers.keys()].sort()).toEqual([200, 503])
    expect(answers.get(503)).toBe('5')
    expect([...probes].sort()).toEqual(['health 200, ready 200', 'health 200, ready 503'])
    expect((await site.status(isOver)).lastRestore.key).toBe('b.zip')
    // those that were accepted before belong to what was replaced
    expect((await messages(site)).length).toBe(before + 3)
  })

  test.each([
    ['no backup', 'PK no backup at all'],
    ['a cut one', undefined],
  ])('is not, if it is %s: then all is as it was', async (_, content) => {
    const whole = await site.download('a.zip')
    writeFileSync(join(site.folder, 'bad.zip'), content ?? whole.slice(0, whole.length - 500))
    const before = await messages(site)
    expect((await site.call('POST', '/api/backups/bad.zip/restore')).status).toBe(204)
    const { lastFailure } = await site.status((one) => isOver(one) && one.lastFailure)
    expect(lastFailure).toMatchObject({ action: 'restore', key: 'bad.zip' })
    expect(lastFailure.message).toMatch(/not a backup of pocketsms, or it is damaged/)
    expect(await messages(site)).toEqual(before)
    expect((await send(site, who.withKey)).status).toBe(200)
  })
})

describe('two nodes', () => {
  test('both start anew, and both know what was restored', async () => {
    const site = await startBackupServer()
    const two: RunningServer = await start(site.server.services.config, createLogger({ logLevel: 'silent' }))
    try {
      const who = await fill(site)
      await site.call('POST', '/api/backups', { name: 'a.zip' })
      const field = { name: 'extra', type: 'text' }
      await site.call('POST', '/api/collections', { name: 'later', type: 'base', fields: [field] })
      const atTwo = (path: string, headers = who.asUser) => fetch(two.url + path, { headers })
      expect(two.services.store.catalog.find('later')).toBeDefined()
      const before = two.services
      expect((await site.call('POST', '/api/backups/a.zip/restore')).status).toBe(204)
      await site.status((one) => isOver(one) && one.lastRestore)
      await expect.poll(() => two.services !== before, { timeout: 30_000 }).toBe(true)
      expect(two.services.store.catalog.find('later')).toBeUndefined()
      await expect
        .poll(async () => (await atTwo('/api/collections/contacts/records')).status, { timeout: 30_000 })
        .toBe(200)
    } finally {
      await two.stop()
      await site.stop()
    }
  })
})

const hasS3 = findS3Server() !== undefined
if (!hasS3) console.warn(`The test of an S3 store is skipped. ${NO_S3_SERVER}`)

test.skipIf(!hasS3)('an S3 store keeps backups as a folder does', async () => {
  const s3 = await startS3Server()
  const site = await startBackupServer()
  try {
    const testS3 = () => site.call('POST', '/api/settings/test/s3', { filesystem: 'backups' })
    expect((await testS3()).body.message).toMatch(/S3 storage filesystem is not enabled\.$/)
    const settings = await site.call('PATCH', '/api/settings', { backups: { s3: s3.settings } })
    expect([settings.status, settings.text.includes(s3.settings.secret)]).toEqual([200, false])
    expect((await testS3()).status).toBe(204)
    const who = await fill(site)
    await send(site, who.withKey, 'kept')
    expect((await site.call('POST', '/api/backups', { name: 'a.zip' })).status).toBe(204)
    await send(site, who.withKey, 'lost')
    const content = await site.download('a.zip')
    expect((await site.call('GET', '/api/backups')).body).toMatchObject([
      { key: 'a.zip', size: content.length },
    ])
    expect((await site.upload('b.zip', content)).status).toBe(204)
    expect((await site.call('POST', '/api/backups/b.zip/restore')).status).toBe(204)
    await site.status((one) => isOver(one) && one.lastRestore)
    expect((await messages(site)).map(([body]) => body)).toEqual(['kept'])
    // the settings are those of the backup, which was made on S3
    expect((await site.call('DELETE', '/api/backups/a.zip')).status).toBe(204)
    expect(await site.keys()).toEqual(['b.zip'])

    await s3.stop()
    expect((await testS3()).body.message).toMatch(
      /^Failed to test the S3 filesystem\. Raw error: \nfailed to upload/,
    )
    const list = await site.call('GET', '/api/backups')
    expect([list.status, list.body.message]).toEqual([
      400,
      expect.stringMatching(/^Failed to retrieve backup items\. Raw error: \n/),
    ])
    expect((await site.call('POST', '/api/backups')).body.message).toBe('Failed to create backup.')
    expect((await site.status()).lastFailure).toMatchObject({ action: 'backup' })
  } finally {
    await site.stop()
    await s3.stop()
  }
})
