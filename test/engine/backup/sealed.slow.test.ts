import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { checkBackup } from '../../../src/engine/backup/read-archive.ts'
import { parseIdentities } from '../../../src/platform/age/keys.ts'
import { seal, unseal } from '../../../src/platform/age/seal.ts'
import { UserError } from '../../../src/platform/api-errors.ts'
import { isRecipient } from '../../../src/platform/environment-readers.ts'
import { emptyDatabase } from '../../support/database/empty-databases.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { CLI } from '../../support/server/program-files.ts'
import { startBackupServer } from '../../support/services/backups.ts'
import { findS3Server, NO_S3_SERVER, startS3Server } from '../../support/services/s3-server.ts'

const folder = temporaryFolder()
const pathOf = (name: string) => join(folder, name)

const hasAge = spawnSync('age', ['--version']).status === 0
if (!hasAge) console.warn('The tests of sealed backups are skipped: apt-get install age')

/** Runs the program `age`; returns what it prints. */
const age = (...args: string[]) => execFileSync('age', args, { maxBuffer: 1 << 30 })

/** Makes a key file by `age-keygen`; returns its path, its text and the public key. */
function makeKey(name: string) {
  const path = pathOf(name)
  execFileSync('age-keygen', ['-o', path], { stdio: 'ignore' })
  const recipient = execFileSync('age-keygen', ['-y', path]).toString().trim()
  return { path, text: readFileSync(path, 'utf8'), recipient }
}

async function* cut(content: Buffer, size = 10_000) {
  for (let i = 0; i < content.length; i += size) yield content.subarray(i, i + size)
}

const sealBytes = (content: Buffer, ...recipients: string[]) =>
  buffer(seal(cut(content), recipients))
const unsealBytes = (sealed: Buffer, key: { text: string }) =>
  buffer(unseal(cut(sealed), parseIdentities(key.text)))

describe.skipIf(!hasAge)('with the program age', async () => {
  if (!hasAge) return
  const [mine, spare, other] = [makeKey('mine'), makeKey('spare'), makeKey('other')]

  test.each([0, 1, 65_535, 65_536, 65_537, 131_072, 300_000])(
    'age opens %i sealed bytes, and bytes sealed by age are opened',
    async (length) => {
      const content = randomBytes(length)
      writeFileSync(pathOf('ours'), await sealBytes(content, mine.recipient, spare.recipient))
      expect(age('-d', '-i', mine.path, pathOf('ours')).equals(content)).toBe(true)
      expect(age('-d', '-i', spare.path, pathOf('ours')).equals(content)).toBe(true)
      writeFileSync(pathOf('plain'), content)
      const theirs = age('-r', other.recipient, '-r', mine.recipient, pathOf('plain'))
      expect((await unsealBytes(theirs, mine)).equals(content)).toBe(true)
    },
  )

  const content = randomBytes(200_000)
  const sealed = await sealBytes(content, mine.recipient)
  test.each<[what: string, bytes: () => Buffer, key: { text: string }]>([
    ['sealed to another key', () => sealed, other],
    ['cut off within a chunk', () => sealed.subarray(0, -1), mine],
    ['cut off after a chunk', () => sealed.subarray(0, 200 + 65_552), mine],
    ['cut off within its header', () => sealed.subarray(0, 100), mine],
    ['changed in its content', () => flip(sealed, -1), mine],
    [
      'changed in the checksum of its header',
      () => flip(sealed, sealed.indexOf('\n--- ') + 8),
      mine,
    ],
    ['longer than it was', () => Buffer.concat([sealed, Buffer.alloc(1)]), mine],
  ])('a file that is %s is refused', async (_, bytes, key) => {
    await expect(unsealBytes(bytes(), key)).rejects.toThrow(UserError)
  })

  test('a public key with a typing error is refused, as are secret keys and keys of ssh', () => {
    expect(isRecipient(mine.recipient)).toBe(true)
    const swapped = mine.recipient.replace(/(.)(?!\1)(.)$/, '$2$1')
    for (const text of [swapped, mine.text.trim(), 'ssh-ed25519 AAAA', 'age1', ''])
      expect(isRecipient(text)).toBe(false)
  })

  const env = { BACKUP_RECIPIENTS: `${mine.recipient}, ${spare.recipient}` }
  const site = await startBackupServer(env)
  const restore = (key: string, body: object) =>
    site.call('POST', `/api/backups/${key}/restore`, body)
  const ended = () => site.status(({ running, lastRestore }) => !running && lastRestore)

  test('a server seals its backups, and restores one only with a secret key', async () => {
    expect((await site.call('POST', '/api/backups', { name: 'a.zip' })).status).toBe(204)
    expect((await site.call('POST', '/api/backups', { name: 'a.zip' })).status).toBe(400)
    expect(readdirSync(site.folder)).toEqual(['a.zip.age'])
    const bytes = await site.download('a.zip.age')
    expect(Buffer.from(bytes).equals(readFileSync(join(site.folder, 'a.zip.age')))).toBe(true)
    writeFileSync(pathOf('a.zip'), age('-d', '-i', spare.path, join(site.folder, 'a.zip.age')))
    expect((await checkBackup(pathOf('a.zip'))).tables.length).toBeGreaterThan(10)

    for (const [body, sentence] of [
      [{}, 'The backup is sealed: its secret key is missing.'],
      [{ identity: 'x' }, 'The key file has no secret key of age (AGE-SECRET-KEY-1…).'],
    ] as const)
      expect((await restore('a.zip.age', body)).body).toMatchObject({ message: sentence })
    expect((await restore('a.zip.age', { identity: other.text })).status).toBe(204)
    const { lastFailure } = await site.status(({ running, lastFailure }) => !running && lastFailure)
    expect(lastFailure.message).toContain('sealed to other keys')
    expect((await restore('a.zip.age', { identity: mine.text })).status).toBe(204)
    expect((await ended()).lastRestore).toMatchObject({ key: 'a.zip.age' })
    expect(readdirSync(site.folder)).toEqual(['a.zip.age'])
  })

  test('a backup that age sealed can be uploaded and restored', async () => {
    writeFileSync(pathOf('b.zip.age'), age('-r', mine.recipient, pathOf('a.zip')))
    const sealedByAge = new Uint8Array(readFileSync(pathOf('b.zip.age')))
    expect((await site.upload('b.zip.age', sealedByAge)).status).toBe(204)
    expect((await site.upload('c.zip.age', 'not sealed')).status).toBe(400)
    expect((await restore('b.zip.age', { identity: mine.text })).status).toBe(204)
    await site.status(({ running, lastRestore }) => !running && lastRestore?.key === 'b.zip.age')
  })

  if (!findS3Server()) console.warn(`The test of a sealed backup in S3 is skipped. ${NO_S3_SERVER}`)
  test.skipIf(!findS3Server())(
    'a sealed backup is stored in S3 and restored from there',
    async () => {
      const s3 = await startS3Server()
      expect(
        (await site.call('PATCH', '/api/settings', { backups: { s3: s3.settings } })).status,
      ).toBe(200)
      expect((await site.call('POST', '/api/backups', { name: 's3.zip' })).status).toBe(204)
      expect(await site.keys()).toEqual(['s3.zip.age'])
      writeFileSync(pathOf('s3.zip.age'), await site.download('s3.zip.age'))
      writeFileSync(pathOf('s3.zip'), age('-d', '-i', mine.path, pathOf('s3.zip.age')))
      expect((await checkBackup(pathOf('s3.zip'))).tables.length).toBeGreaterThan(10)
      expect((await restore('s3.zip.age', { identity: mine.text })).status).toBe(204)
      await site.status(({ running, lastRestore }) => !running && lastRestore?.key === 's3.zip.age')
    },
  )

  test('the command checks and restores a sealed backup with its key file alone', async () => {
    const to = await emptyDatabase()
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [CLI, ...args], {
        env: { ...process.env, ...to, TMPDIR: temporary },
        encoding: 'utf8',
      })
    const temporary = temporaryFolder()
    const file = pathOf('b.zip.age')
    expect(run('backup', '--check', file).stderr).toContain('is sealed. Name the file of its key')
    const wrong = run('backup', '--check', file, '--identity', other.path)
    expect(wrong.stderr).toContain('sealed to other keys')
    expect(run('backup', '--check', file, '--identity', mine.path).stdout).toContain('is whole')
    expect(run('restore', file).status).toBe(1)
    const restored = run('restore', file, '--identity', mine.path)
    expect([restored.status, restored.stdout]).toEqual([0, expect.stringContaining('Restored ')])
    const sealing = { ...process.env, ...to, ...env }
    const made = spawnSync(process.execPath, [CLI, 'backup', '--to', folder], { env: sealing })
    expect(made.status).toBe(0)
    const name = readdirSync(folder).find((one) => one.startsWith('pocketsms-'))!
    expect(name.endsWith('.zip.age')).toBe(true)
    expect(run('backup', '--check', pathOf(name), '--identity', spare.path).status).toBe(0)
    expect(readdirSync(temporary)).toEqual([])
  })

  test('the command calls no file sealed that everybody can read', () => {
    const run = (...args: string[]) =>
      spawnSync(process.execPath, [CLI, 'backup', ...args], { encoding: 'utf8' }).stderr
    const path = pathOf('open.zip.age')
    expect(run('--to', path)).toContain('would not be sealed, because BACKUP_RECIPIENTS is empty')
    writeFileSync(path, 'PK')
    expect(run('--check', path, '--identity', mine.path)).toContain('is not sealed: everybody')
  })
})

/** The bytes with one of them changed. */
function flip(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  const index = at < 0 ? copy.length + at : at
  copy[index] = copy[index] === 65 ? 66 : 65
  return copy
}
