import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sweepContents } from '../../../src/engine/files/file-contents.ts'
import { findStoredFile, loadWholeFile } from '../../../src/engine/files/stored-files.ts'
import { createLogger } from '../../../src/platform/log.ts'
import { runServer } from '../../support/database/open.ts'
import { makePhoto } from '../../support/pictures.ts'
import { request } from '../../support/server/request.ts'
import { type Client, client, withDevices } from '../../support/server/server-with-devices.ts'
import { type BackupServer, startBackupServer } from '../../support/services/backups.ts'
import { findS3Server, NO_S3_SERVER, startS3Server } from '../../support/services/s3-server.ts'
import { until } from '../../support/until.ts'

const isOver = ({ running }: { running: unknown }) => running === null

/** A user with an API key and a device, signed in. */
async function fill({ server }: BackupServer) {
  const fixture = await withDevices(server)
  const user = await fixture.makeUser()
  const body = { user: user.id, name: 'shop' }
  const { key } = (await user.call('POST', '/api/collections/api_keys/records', body)).body
  return { user, phone: await fixture.pair(user), withKey: { 'x-api-key': key as string } }
}

const send = (site: BackupServer, headers: Record<string, string>, body = 'hello') =>
  site.call('POST', '/api/sms/send', { recipients: ['+4915112345678'], body }, headers)
const restore = (site: BackupServer, key: string) =>
  site.call('POST', `/api/backups/${key}/restore`)
const restored = (site: BackupServer) => site.status((one) => isOver(one) && one.lastRestore)

const messages = async (
  site: BackupServer,
): Promise<[body: string, status: string, error: string][]> =>
  (await site.call('GET', '/api/collections/sms_messages/records?sort=created')).body.items.map(
    ({ body, status, error_message }: Record<string, string>) => [body, status, error_message],
  )

const site = await startBackupServer()
const who = await fill(site)

test('a restore brings back all records and keeps existing sign-ins valid', async () => {
  expect((await send(site, who.withKey, 'before')).status).toBe(200)
  expect((await site.call('POST', '/api/backups', { name: 'a.zip' })).status).toBe(204)
  await send(site, who.withKey, 'after')
  const groups = '/api/collections/contact_groups/records'
  const { body: group } = await who.user.call('POST', groups, { user: who.user.id, name: 'lost' })
  expect((await messages(site)).map(([body]) => body)).toEqual(['before', 'after'])

  expect(await restore(site, 'a.zip')).toMatchObject({ status: 204, text: '' })
  expect((await restore(site, 'a.zip')).status).toBeGreaterThanOrEqual(400)
  expect(await restored(site)).toMatchObject({
    lastFailure: null,
    lastRestore: { action: 'restore', key: 'a.zip', by: 'root@example.com' },
    lastBackup: { key: 'a.zip' },
  })

  expect(await messages(site)).toEqual([
    ['before', 'failed', expect.stringMatching(/restored from a backup/)],
  ])
  expect((await who.user.call('GET', `${groups}/${group.id}`)).status).toBe(404)
  expect((await who.user.call('POST', '/api/collections/users/auth-refresh')).status).toBe(200)
  expect((await who.phone.call('POST', '/api/devices/claim', {})).status).toBe(200)
  expect((await send(site, who.withKey, 'again')).status).toBe(200)
  const { items } = (await site.call('GET', '/api/audit?filter=action="restore backup"')).body
  expect(items.map(({ record, email }: Record<string, string>) => [record, email])).toEqual([
    ['a.zip', 'root@example.com'],
  ])
  // what is known of backups is not restored: another restore can follow, from the list as it is
  expect(await site.keys()).toEqual(['a.zip'])
})

test('requests during a restore get 503 with retry-after, and no accepted text is lost', async () => {
  await site.call('POST', '/api/backups', { name: 'b.zip' })
  const before = (await messages(site)).length
  await restore(site, 'b.zip')
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
  ['a file that is not a backup', 'PK no backup at all'],
  ['a truncated backup', undefined],
])('a restore of %s fails and changes nothing', async (_, content) => {
  const whole = await site.download('a.zip')
  writeFileSync(join(site.folder, 'bad.zip'), content ?? whole.slice(0, whole.length - 500))
  const before = await messages(site)
  expect((await restore(site, 'bad.zip')).status).toBe(204)
  const { lastFailure } = await site.status((one) => isOver(one) && one.lastFailure)
  expect(lastFailure).toMatchObject({ action: 'restore', key: 'bad.zip' })
  expect(lastFailure.message).toMatch(/not a backup of pocketsms, or it is damaged/)
  expect(await messages(site)).toEqual(before)
  expect((await send(site, who.withKey)).status).toBe(200)
})

test('two nodes both restart after a restore and know its result', async () => {
  const site = await startBackupServer()
  const two = await runServer(site.server.services.config, createLogger({ logLevel: 'silent' }))
  const { user } = await fill(site)
  await site.call('POST', '/api/backups', { name: 'a.zip' })
  const later = { name: 'later', type: 'base', fields: [{ name: 'extra', type: 'text' }] }
  await site.call('POST', '/api/collections', later)
  expect(two.services.store.catalog.find('later')).toBeDefined()
  const before = two.services
  expect((await restore(site, 'a.zip')).status).toBe(204)
  await restored(site)
  await expect.poll(() => two.services !== before, { timeout: 30_000 }).toBe(true)
  expect(two.services.store.catalog.find('later')).toBeUndefined()
  const atTwo = client(two.url, user.id, user.token)
  const status = async () => (await atTwo.call('GET', '/api/collections/contacts/records')).status
  await expect.poll(status, { timeout: 30_000 }).toBe(200)
})

const PICTURE = await makePhoto('whatsapp')

/** Sends a picture to three people by a campaign, and waits until its messages are stored. */
async function sendPicture(site: BackupServer, { token }: Client): Promise<{ id: string }> {
  const form = new FormData()
  for (const to of ['+4915112345671', '+4915112345672', '+4915112345673'])
    form.append('recipients', to)
  for (const [name, value] of Object.entries({ body: 'Sale', mms: 'or_link', hold_seconds: '0' }))
    form.append(name, value)
  form.append('attachments', new Blob([new Uint8Array(PICTURE)]), 'menu.jpg')
  const headers = { authorization: token }
  const { body } = await request(site.server.url, 'POST', '/api/campaigns', form, headers)
  await until('its messages', async () => (await listWithFiles(site)).length === 3)
  return body
}

const listWithFiles = async (
  site: BackupServer,
): Promise<{ readonly id: string; readonly attachments: readonly string[] }[]> => {
  const path = '/api/collections/sms_messages/records?filter=attachments:length>0'
  return (await site.call('GET', path)).body.items
}

async function countFiles({ server }: BackupServer) {
  const { rows } = await server.services.store.db.query(`select (select count(*) from _files),
    (select count(*) from _file_contents), (select coalesce(sum(octet_length(bytes)), 0) from _file_chunks)`)
  const [files, contents, bytes] = rows[0]!.map(Number)
  return { files, contents, bytes }
}

const hasS3 = findS3Server() !== undefined
if (!hasS3) console.warn(`The test of an S3 store is skipped. ${NO_S3_SERVER}`)

test.skipIf(!hasS3)('an S3 store keeps backups like a folder', async () => {
  const s3 = await startS3Server()
  const site = await startBackupServer()
  const testS3 = () => site.call('POST', '/api/settings/test/s3', { filesystem: 'backups' })
  expect((await testS3()).body.message).toMatch(/S3 storage filesystem is not enabled\.$/)
  const settings = await site.call('PATCH', '/api/settings', { backups: { s3: s3.settings } })
  expect([settings.status, settings.text.includes(s3.settings.secret)]).toEqual([200, false])
  expect((await testS3()).status).toBe(204)
  const who = await fill(site)
  await send(site, who.withKey, 'kept')
  const { id } = await sendPicture(site, who.user)
  const kept = await countFiles(site)
  // a file of the campaign and of each message, and one content of all
  expect(kept).toMatchObject({ files: 4, contents: 1 })
  expect((await site.call('POST', '/api/backups', { name: 'a.zip' })).status).toBe(204)
  for (const record of await listWithFiles(site))
    await site.call('DELETE', `/api/collections/sms_messages/records/${record.id}`)
  await site.call('DELETE', `/api/collections/campaigns/records/${id}`)
  expect(await countFiles(site)).toEqual({ files: 0, contents: 0, bytes: 0 })
  await send(site, who.withKey, 'lost')
  const content = await site.download('a.zip')
  expect((await site.call('GET', '/api/backups')).body).toMatchObject([
    { key: 'a.zip', size: content.length },
  ])
  expect((await site.upload('b.zip', content)).status).toBe(204)
  expect((await restore(site, 'b.zip')).status).toBe(204)
  await restored(site)
  const words = (await messages(site)).map(([body]) => body)
  expect(words.filter((body) => !body.startsWith('Sale'))).toEqual(['kept'])
  expect(await countFiles(site)).toEqual(kept)
  const { db } = site.server.services.store
  await sweepContents(db)
  expect(await countFiles(site)).toEqual(kept)
  for (const { id, attachments } of await listWithFiles(site)) {
    const place = { collection: 'sms_messages', record: id, name: attachments[0]! }
    expect(await loadWholeFile(db, (await findStoredFile(db, place))!)).toEqual(PICTURE)
  }
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
})
