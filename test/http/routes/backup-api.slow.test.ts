import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withDevices } from '../../support/server/server-with-devices.ts'
import { startBackupServer } from '../../support/services/backups.ts'

// The answers are those of PocketBase 0.40.4, which was asked the same.

const site = await startBackupServer()

const LOADING = 'An error occurred while loading the submitted data.'
const VALIDATING = 'An error occurred while validating the submitted data.'
const field = (name: string, code: string, message: string, more = {}) => ({
  data: { [name]: { code, message, ...more } },
  message: VALIDATING,
  status: 400,
})
const failed = (message: string, data = {}) => ({ data, message, status: 400 })
const TOO_LONG = field(
  'name',
  'validation_length_out_of_range',
  'The length must be between 1 and 150.',
  {
    params: { max: 150, min: 1 },
  },
)
const FORMAT = field('name', 'validation_match_invalid', 'Must be in a valid format.')

describe('backup routes', () => {
  test('backup routes are refused to guests', async () => {
    const asked = [
      'GET ',
      'POST ',
      'POST /upload',
      'DELETE /x.zip',
      'POST /x.zip/restore',
      'GET /x.zip?token=bad',
    ]
    const ask = (one: string) => {
      const [method, path] = one.split(' ') as [string, string]
      return site.call(method, `/api/backups${path}`, undefined, {})
    }
    const answers = await Promise.all(asked.map(ask))
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 403])
    expect((await site.call('GET', '/api/backup-status', undefined, {})).status).toBe(401)
  })

  test('backup routes are refused to users, even with a file token', async () => {
    const user = await (await withDevices(site.server)).makeUser()
    expect((await user.call('GET', '/api/backups')).status).toBe(403)
    expect((await user.call('POST', '/api/backups', {})).status).toBe(403)
    const { token } = (await user.call('POST', '/api/files/token')).body
    expect(
      (await site.call('GET', `/api/backups/x.zip?token=${token}`, undefined, {})).status,
    ).toBe(403)
  })
})

async function clear() {
  for (const key of await site.keys())
    await site.call('DELETE', `/api/backups/${encodeURIComponent(key)}`)
}

describe('a new backup', () => {
  beforeEach(clear)

  test('a new backup can be named, listed, downloaded and deleted', async () => {
    expect((await site.call('GET', '/api/backups')).text).toBe('[]')
    const made = await site.call('POST', '/api/backups', { name: 'test.zip' })
    expect([made.status, made.text]).toEqual([204, ''])
    const [listed] = (await site.call('GET', '/api/backups')).body
    expect(Object.keys(listed)).toEqual(['modified', 'key', 'size'])
    expect(listed.key).toBe('test.zip')
    const content = await site.download('test.zip')
    expect([content.length, Buffer.from(content.subarray(0, 2)).toString()]).toEqual([
      listed.size,
      'PK',
    ])
    const again = await site.call('POST', '/api/backups', { name: 'test.zip' })
    expect(again.body).toEqual(
      field(
        'name',
        'validation_backup_name_exists',
        'The backup file name is invalid or already exists.',
      ),
    )
    expect(readdirSync(site.folder)).toEqual(['test.zip'])
    expect((await site.call('DELETE', '/api/backups/test.zip')).status).toBe(204)
    expect(await site.keys()).toEqual([])
  })

  test.each([undefined, { name: '' }])(
    'a new backup gets a name from the time for the body %j',
    async (body) => {
      expect((await site.call('POST', '/api/backups', body)).status).toBe(204)
      expect((await site.keys())[0]).toMatch(/^pb_backup_pocketsms_\d{14}\.zip$/)
    },
  )

  test('a new backup gets its name from a form, too', async () => {
    const form = new FormData()
    form.set('name', 'form.zip')
    expect((await site.call('POST', '/api/backups', form)).status).toBe(204)
    expect((await site.call('GET', '/api/backups?fields=key')).body).toEqual([{ key: 'form.zip' }])
  })

  test.each([
    ['a b.zip', FORMAT],
    ['A.zip', FORMAT],
    ['x.tar', FORMAT],
    ['../x.zip', FORMAT],
    [5, failed(LOADING)],
    [`${'a'.repeat(150)}.zip`, TOO_LONG],
  ])('a new backup with the name $0 is refused: $1', async (name, expected) => {
    const { status, body } = await site.call('POST', '/api/backups', { name })
    expect([status, body]).toEqual([400, expected])
    expect(await site.keys()).toEqual([])
  })

  test('a new backup is sent in ranges, as an attachment that may not be cached', async () => {
    await site.call('POST', '/api/backups', { name: 'test.zip' })
    const { token } = (await site.call('POST', '/api/files/token')).body
    const path = `/api/backups/test.zip?token=${token}`
    const part = await site.call('GET', path, undefined, { range: 'bytes=0-3' })
    expect([part.status, part.text]).toEqual([206, 'PK\x03\x04'])
    expect(Object.fromEntries(part.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
      'content-disposition': 'attachment; filename="test.zip"',
      'content-type': 'application/zip',
      'x-frame-options': 'SAMEORIGIN',
    })
    for (const name of ['nope.zip', '..%2Fdata.db', 'a%2Fb.zip'])
      expect((await site.call('GET', `/api/backups/${name}?token=${token}`)).status).toBe(404)
  })
})

describe('an unknown backup', () => {
  test.each(['nope.zip', '..%2Fdata.db', 'a%2Fb', '.tmp-x'])(
    '%s cannot be deleted, restored or downloaded',
    async (key) => {
      const name = decodeURIComponent(key)
      expect((await site.call('DELETE', `/api/backups/${key}`)).body).toEqual(
        failed(
          `Invalid or already deleted backup file. Raw error: \n[key: ${name}] resource not found.`,
        ),
      )
      expect((await site.call('POST', `/api/backups/${key}/restore`)).body).toEqual(
        failed('Missing or invalid backup file.'),
      )
    },
  )
})

describe('an upload', () => {
  let content: Uint8Array<ArrayBuffer>
  beforeAll(async () => {
    await clear()
    await site.call('POST', '/api/backups', { name: 'original.zip' })
    content = await site.download('original.zip')
  })

  test.each([undefined, { file: 'x' }])('an upload requires a file: %j', async (body) => {
    const answer = await site.call('POST', '/api/backups/upload', body)
    expect(answer.body).toEqual(field('file', 'validation_required', 'Cannot be blank.'))
  })

  test('an upload is stored under its name once', async () => {
    expect((await site.upload('up.zip', content)).status).toBe(204)
    expect(await site.download('up.zip')).toEqual(content)
    expect((await site.upload('up.zip', content)).body).toEqual(
      field(
        'file',
        'validation_backup_name_exists',
        'Backup file with the specified name already exists.',
      ),
    )
    expect((await site.upload('Ü x.ZIP', content)).status).toBe(204)
    expect((await site.upload('../../evil.zip', content)).status).toBe(204)
    expect(await site.keys()).toEqual(['evil.zip', 'original.zip', 'up.zip', 'Ü x.ZIP'])
    for (const key of ['evil.zip', 'up.zip', '%C3%9C%20x.ZIP'])
      expect((await site.call('DELETE', `/api/backups/${key}`)).status).toBe(204)
  })

  type Bytes = Uint8Array<ArrayBuffer>
  test.each<[what: string, make: (whole: Bytes) => Bytes | string, code: string, name?: string]>([
    ['a text', () => 'hello', 'validation_invalid_mime_type'],
    ['a file with a hidden name', (whole) => whole, 'validation_match_invalid', '.hidden.zip'],
    [
      'an empty zip',
      () => new Uint8Array([0x50, 0x4b, 5, 6, ...Array(18).fill(0)]),
      'validation_invalid_backup',
    ],
    ['a zip that was cut off', (whole) => whole.slice(0, -100), 'validation_invalid_backup'],
    [
      'a zip that was changed',
      (whole) => whole.slice().fill(0, 1_000, 1_500),
      'validation_invalid_backup',
    ],
  ])('an upload is refused with $2 if it is %s', async (_, make, code, name = 'other.zip') => {
    const answer = await site.upload(name, make(content))
    expect([answer.status, answer.body.data.file?.code]).toEqual([400, code])
    expect(readdirSync(site.folder)).toEqual(['original.zip'])
  })
})

describe('concurrent jobs', () => {
  const hold = (key: string, seconds: number) => {
    const job = {
      action: 'backup',
      key,
      by: 'other@example.com',
      node: 'other',
      started: '',
      step: '',
    }
    return site.server.services.store.db.query(
      `update backup_state set running = $1::json, lease = gen_random_uuid(), lease_until = now() + $2::float8 * interval '1 second'`,
      [JSON.stringify({ ...job, done: 0, total: 0, exclusive: false }), seconds],
    )
  }

  test('concurrent jobs are refused while another server makes a backup', async () => {
    await site.call('POST', '/api/backups', { name: 'held.zip' })
    await hold('held.zip', 60)
    const busy = failed(
      'Try again later - another backup/restore process has already been started.',
    )
    expect((await site.call('POST', '/api/backups', { name: '!' })).body).toEqual(busy)
    expect((await site.call('POST', '/api/backups/nope.zip/restore')).body).toEqual(busy)
    expect((await site.call('DELETE', '/api/backups/held.zip')).body).toEqual(
      failed('The backup is currently being used and cannot be deleted.'),
    )
    expect((await site.call('GET', '/api/health')).body.data.canBackup).toBe(false)
    expect((await site.status()).running).toMatchObject({ key: 'held.zip' })
  })

  test('concurrent jobs continue after the server of an earlier one died, which counts as failed', async () => {
    await hold('held.zip', -1)
    expect(await site.status()).toMatchObject({
      running: null,
      lastFailure: { key: 'held.zip', message: 'The server ended before it was done.' },
    })
    expect((await site.call('GET', '/api/health')).body.data.canBackup).toBe(true)
    expect((await site.call('POST', '/api/backups', { name: 'next.zip' })).status).toBe(204)
    expect(await site.status()).toMatchObject({
      lastFailure: null,
      lastBackup: { key: 'next.zip' },
    })
  })
})

describe('the backup status', () => {
  test("the backup status shows the last backup's author, time and size", async () => {
    await site.call('POST', '/api/backups', { name: 'known.zip' })
    const size = (await site.download('known.zip')).length
    const lastBackup = { key: 'known.zip', size, by: 'root@example.com' }
    expect(await site.status()).toMatchObject({ lastBackup, overdue: false, next: '' })
  })

  test('the backup status shows why the last backup failed, and its file is removed', async () => {
    const before = await site.keys()
    // a folder in the place of the file that is made
    mkdirSync(join(site.folder, 'broken.zip', 'x'), { recursive: true })
    const answer = await site.call('POST', '/api/backups', { name: 'broken.zip' })
    expect(answer.body).toEqual(failed('Failed to create backup.'))
    const { lastFailure } = await site.status()
    expect(lastFailure).toMatchObject({
      action: 'backup',
      key: 'broken.zip',
      by: 'root@example.com',
    })
    expect(lastFailure.message).toMatch(/directory/)
    expect(await site.keys()).toEqual(before)
    expect(readdirSync(site.folder).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('the backup status warns of overdue backups once the installation is older than a week', async () => {
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

test('all backup actions are audited', async () => {
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
