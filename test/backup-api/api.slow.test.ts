import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type BackupServer, startBackupServer } from '../support/services/backups.ts'

// The answers are those of PocketBase 0.39.11, which was asked the same.

let site: BackupServer
beforeAll(async () => {
  site = await startBackupServer()
})
afterAll(() => site.stop())

const LOADING = 'An error occurred while loading the submitted data.'
const VALIDATING = 'An error occurred while validating the submitted data.'
const field = (name: string, code: string, message: string, more = {}) => ({
  data: { [name]: { code, message, ...more } },
  message: VALIDATING,
  status: 400,
})
const failed = (message: string, data = {}) => ({ data, message, status: 400 })
const FORMAT = field('name', 'validation_match_invalid', 'Must be in a valid format.')

describe('who may', () => {
  test.each([
    ['GET', '/api/backups', 401],
    ['GET', '/api/backup-status', 401],
    ['POST', '/api/backups', 401],
    ['POST', '/api/backups/upload', 401],
    ['DELETE', '/api/backups/x.zip', 401],
    ['POST', '/api/backups/x.zip/restore', 401],
    ['GET', '/api/backups/x.zip', 403],
    ['GET', '/api/backups/x.zip?token=bad', 403],
  ] as const)('no guest: %s %s', async (method, path, status) => {
    expect((await site.call(method, path, undefined, {})).status).toBe(status)
  })

  test('no user, not even with a token for files', async () => {
    const values = { email: 'ann@example.com', password: 'password1', passwordConfirm: 'password1' }
    const created = await site.call('POST', '/api/collections/users/records', { ...values, verified: true })
    expect(created.status).toBe(200)
    const signIn = { identity: values.email, password: values.password }
    const { token } = (await site.call('POST', '/api/collections/users/auth-with-password', signIn, {})).body
    const asUser = { authorization: token }
    expect((await site.call('GET', '/api/backups', undefined, asUser)).status).toBe(403)
    expect((await site.call('POST', '/api/backups', {}, asUser)).status).toBe(403)
    const file = (await site.call('POST', '/api/files/token', undefined, asUser)).body.token
    expect((await site.call('GET', `/api/backups/x.zip?token=${file}`, undefined, {})).status).toBe(403)
  })
})

async function clear() {
  for (const key of await site.keys()) await site.call('DELETE', `/api/backups/${encodeURIComponent(key)}`)
}

describe('a new backup', () => {
  beforeEach(clear)

  test('is named, listed, downloaded and deleted', async () => {
    expect((await site.call('GET', '/api/backups')).text).toBe('[]\n')
    const made = await site.call('POST', '/api/backups', { name: 'test.zip' })
    expect([made.status, made.text]).toEqual([204, ''])
    const [listed] = (await site.call('GET', '/api/backups')).body
    expect(Object.keys(listed)).toEqual(['modified', 'key', 'size'])
    expect(listed.key).toBe('test.zip')
    const content = await site.download('test.zip')
    expect([content.length, Buffer.from(content.subarray(0, 2)).toString()]).toEqual([listed.size, 'PK'])
    const again = await site.call('POST', '/api/backups', { name: 'test.zip' })
    expect(again.body).toEqual(
      field('name', 'validation_backup_name_exists', 'The backup file name is invalid or already exists.'),
    )
    expect(readdirSync(site.folder)).toEqual(['test.zip'])
    expect((await site.call('DELETE', '/api/backups/test.zip')).status).toBe(204)
    expect(await site.keys()).toEqual([])
  })

  test.each([
    ['nothing', undefined],
    ['an empty name', { name: '' }],
  ])('has a name of its time: %s', async (_, body) => {
    expect((await site.call('POST', '/api/backups', body)).status).toBe(204)
    expect((await site.keys())[0]).toMatch(/^pb_backup_pocketsms_\d{14}\.zip$/)
  })

  test('takes its name from a form too', async () => {
    const form = new FormData()
    form.set('name', 'form.zip')
    expect((await site.call('POST', '/api/backups', form)).status).toBe(204)
    expect((await site.call('GET', '/api/backups?fields=key')).body).toEqual([{ key: 'form.zip' }])
  })

  test.each([
    ['a blank', { name: 'a b.zip' }, FORMAT],
    ['capitals', { name: 'A.zip' }, FORMAT],
    ['another ending', { name: 'x.tar' }, FORMAT],
    ['a folder', { name: '../x.zip' }, FORMAT],
    ['a number', { name: 5 }, failed(LOADING)],
    [
      'a long one',
      { name: `${'a'.repeat(150)}.zip` },
      field('name', 'validation_length_out_of_range', 'The length must be between 1 and 150.', {
        params: { max: 150, min: 1 },
      }),
    ],
  ])('is refused for its name: %s', async (_, body, expected) => {
    const { status, body: answer } = await site.call('POST', '/api/backups', body)
    expect([status, answer]).toEqual([400, expected])
    expect(await site.keys()).toEqual([])
  })

  test('is sent in ranges, as an attachment that nobody caches', async () => {
    await site.call('POST', '/api/backups', { name: 'test.zip' })
    const { token } = (await site.call('POST', '/api/files/token')).body
    const path = `/api/backups/test.zip?token=${token}`
    const part = await site.call('GET', path, undefined, { range: 'bytes=0-3' })
    expect([part.status, part.text]).toEqual([206, 'PK\x03\x04'])
    expect(Object.fromEntries(part.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
      'content-disposition': 'attachment; filename=test.zip',
      'content-type': 'application/zip',
      'x-frame-options': 'SAMEORIGIN',
    })
    for (const name of ['nope.zip', '..%2Fdata.db', 'a%2Fb.zip'])
      expect((await site.call('GET', `/api/backups/${name}?token=${token}`)).status).toBe(404)
  })
})

describe('what is not there', () => {
  test.each(['nope.zip', '..%2Fdata.db', 'a%2Fb', '.tmp-x'])('%s', async (key) => {
    const name = decodeURIComponent(key)
    expect((await site.call('DELETE', `/api/backups/${key}`)).body).toEqual(
      failed(`Invalid or already deleted backup file. Raw error: \n[key: ${name}] resource not found.`),
    )
    expect((await site.call('POST', `/api/backups/${key}/restore`)).body).toEqual(
      failed('Missing or invalid backup file.'),
    )
  })
})

describe('an upload', () => {
  let content: Uint8Array<ArrayBuffer>
  beforeAll(async () => {
    await clear()
    await site.call('POST', '/api/backups', { name: 'original.zip' })
    content = await site.download('original.zip')
  })

  const CODES = (answer: { body: { data: Record<string, { code: string }> } }) => answer.body.data.file?.code

  test.each([
    ['no form', () => site.call('POST', '/api/backups/upload')],
    ['JSON', () => site.call('POST', '/api/backups/upload', { file: 'x' })],
  ])('needs a file: %s', async (_, ask) => {
    expect((await ask()).body).toEqual(field('file', 'validation_required', 'Cannot be blank.'))
  })

  test('is stored under its name, once', async () => {
    expect((await site.upload('up.zip', content)).status).toBe(204)
    expect(await site.download('up.zip')).toEqual(content)
    expect((await site.upload('up.zip', content)).body).toEqual(
      field('file', 'validation_backup_name_exists', 'Backup file with the specified name already exists.'),
    )
    expect((await site.upload('Ü x.ZIP', content)).status).toBe(204)
    expect((await site.upload('../../evil.zip', content)).status).toBe(204)
    expect(await site.keys()).toEqual(['evil.zip', 'original.zip', 'up.zip', 'Ü x.ZIP'])
    for (const key of ['evil.zip', 'up.zip', '%C3%9C%20x.ZIP'])
      expect((await site.call('DELETE', `/api/backups/${key}`)).status).toBe(204)
  })

  test.each([
    ['a text', 'hello', 'validation_invalid_mime_type'],
    ['a hidden name', undefined, 'validation_match_invalid', '.hidden.zip'],
    ['a zip of something else', foreignZip(), 'validation_invalid_backup'],
  ])('is refused: %s', async (_, other, code, name = 'other.zip') => {
    const answer = await site.upload(name, other ?? content)
    expect([answer.status, CODES(answer)]).toEqual([400, code])
    expect(readdirSync(site.folder)).toEqual(['original.zip'])
  })

  test('is refused when it was cut or changed', async () => {
    const middle = Math.floor(content.length / 2)
    const changed = content.slice().fill(0, middle, middle + 500)
    for (const bytes of [content.slice(0, content.length - 100), changed]) {
      const answer = await site.upload('other.zip', bytes)
      expect([answer.status, CODES(answer)]).toEqual([400, 'validation_invalid_backup'])
    }
    expect(readdirSync(site.folder)).toEqual(['original.zip'])
  })
})

/** An empty archive. */
function foreignZip(): Uint8Array<ArrayBuffer> {
  return new Uint8Array([0x50, 0x4b, 5, 6, ...new Array(18).fill(0)])
}

describe('one at a time', () => {
  const hold = (key: string, seconds: number) =>
    site.server.services.store.db.query(
      `update backup_state set running = $1::json, lease = gen_random_uuid(), lease_until = now() + $2::float8 * interval '1 second'`,
      [
        JSON.stringify({
          action: 'backup',
          key,
          by: 'other@example.com',
          node: 'other',
          started: '',
          step: '',
          done: 0,
          total: 0,
          exclusive: false,
        }),
        seconds,
      ],
    )

  test('while another server makes one', async () => {
    await site.call('POST', '/api/backups', { name: 'held.zip' })
    await hold('held.zip', 60)
    expect((await site.call('POST', '/api/backups', { name: '!' })).body).toEqual(
      failed('Try again later - another backup/restore process has already been started.'),
    )
    expect((await site.call('POST', '/api/backups/nope.zip/restore')).body).toEqual(
      failed('Try again later - another backup/restore process has already been started.'),
    )
    expect((await site.call('DELETE', '/api/backups/held.zip')).body).toEqual(
      failed('The backup is currently being used and cannot be deleted.'),
    )
    expect((await site.call('GET', '/api/health')).body.data.canBackup).toBe(false)
    expect((await site.status()).running).toMatchObject({ key: 'held.zip' })
  })

  test('and one whose server died is a failure, and holds up nobody', async () => {
    await hold('held.zip', -1)
    expect(await site.status()).toMatchObject({
      running: null,
      lastFailure: { key: 'held.zip', message: 'The server ended before it was done.' },
    })
    expect((await site.call('GET', '/api/health')).body.data.canBackup).toBe(true)
    expect((await site.call('POST', '/api/backups', { name: 'next.zip' })).status).toBe(204)
    expect(await site.status()).toMatchObject({ lastFailure: null, lastBackup: { key: 'next.zip' } })
  })
})

describe('what is known of it', () => {
  test('who made the last one, when, how large', async () => {
    await site.call('POST', '/api/backups', { name: 'known.zip' })
    const { lastBackup, overdue, next } = await site.status()
    const size = (await site.call('GET', '/api/backups')).body.find(
      ({ key }: { key: string }) => key === 'known.zip',
    ).size
    expect(lastBackup).toMatchObject({ key: 'known.zip', size, by: 'root@example.com' })
    expect([overdue, next]).toEqual([false, ''])
  })

  test('why the last one failed, and nothing of it is left', async () => {
    const before = await site.keys()
    // a folder in the place of the file that is made
    mkdirSync(join(site.folder, 'broken.zip', 'x'), { recursive: true })
    const answer = await site.call('POST', '/api/backups', { name: 'broken.zip' })
    expect(answer.body).toEqual(failed('Failed to create backup.'))
    const { lastFailure } = await site.status()
    expect(lastFailure).toMatchObject({ action: 'backup', key: 'broken.zip', by: 'root@example.com' })
    expect(lastFailure.message).toMatch(/directory/)
    expect(await site.keys()).toEqual(before)
    expect(readdirSync(site.folder).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('old ones are a reason to warn, in an installation that is older than a week', async () => {
    const { db } = site.server.services.store
    const overdue = async () => (await site.status()).overdue
    await db.query(`update backup_state set last_backup = null`)
    expect(await overdue()).toBe(false)
    await db.query(`update backup_state set since = now() - interval '8 days'`)
    expect(await overdue()).toBe(true)
    await site.call('POST', '/api/backups', { name: 'fresh.zip' })
    expect(await overdue()).toBe(false)
  })
})

test('all of it is noted', async () => {
  await site.server.services.store.db.query('delete from _audit')
  await site.call('POST', '/api/backups', { name: 'noted.zip' })
  await site.upload('uploaded.zip', await site.download('noted.zip'))
  await site.call('DELETE', '/api/backups/noted.zip')
  writeFileSync(join(site.folder, 'damaged.zip'), 'no backup')
  await site.call('POST', '/api/backups/damaged.zip/restore')
  await site.status(({ running, lastFailure }) => !running && lastFailure?.action === 'restore')
  const { items } = (await site.call('GET', '/api/audit?sort=@rowid')).body
  expect(items.map(({ action, record }: Record<string, string>) => [action, record])).toEqual([
    ['create backup', 'noted.zip'],
    ['download backup', 'noted.zip'],
    ['upload backup', 'uploaded.zip'],
    ['delete backup', 'noted.zip'],
    ['restore backup', 'damaged.zip'],
  ])
})
