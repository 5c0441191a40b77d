import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BackupStorage, openFolderStorage } from '../../../src/engine/backup/folder-storage.ts'
import { openS3Storage, testS3 } from '../../../src/engine/backup/s3-storage.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { listenLocally } from '../../support/services/listen.ts'
import { startReceiver } from '../../support/services/receiver.ts'
import {
  findS3Server,
  NO_S3,
  NO_S3_SERVER,
  startS3Server,
} from '../../support/services/s3-server.ts'

const work = temporaryFolder()
const hasS3 = findS3Server() !== undefined
if (!hasS3) console.warn(`The S3 tests are skipped. ${NO_S3_SERVER}`)
const s3 = hasS3 ? await startS3Server() : undefined

const folder = join(work, 'backups')
const STORAGES: [name: string, open: () => BackupStorage, skipped: boolean][] = [
  ['a folder', () => openFolderStorage(folder), false],
  ['an S3 server', () => openS3Storage(s3!.settings), !hasS3],
]

const fileOf = (content: Buffer | string): string => {
  const path = join(work, randomBytes(6).toString('hex'))
  writeFileSync(path, content)
  return path
}

for (const [name, open, skipped] of STORAGES) {
  describe.skipIf(skipped)(name, () => {
    test('is empty before the first backup', async () => {
      expect(await open().list()).toEqual([])
      expect(await open().find('a.zip')).toBeUndefined()
      await expect(open().delete('a.zip')).rejects.toThrow()
    })

    test('stores, lists, reads and deletes files', async () => {
      const storage = open()
      await storage.put(fileOf('0123456789'), 'b.zip')
      await storage.put(fileOf('first'), 'a.zip')
      await storage.put(fileOf('of the schedule'), '@auto_pb_backup_pocketsms_20261121105643.zip')
      await storage.put(fileOf('umlauts & spaces'), 'Ü x.zip')
      const listed = await storage.list()
      expect(listed.map(({ key, size }) => [key, size])).toEqual([
        ['@auto_pb_backup_pocketsms_20261121105643.zip', 15],
        ['a.zip', 5],
        ['b.zip', 10],
        ['Ü x.zip', 16],
      ])
      expect(Math.abs(listed[0]!.modified.getTime() - Date.now())).toBeLessThan(60_000)
      expect((await storage.list('@auto_')).length).toBe(1)
      expect((await storage.find('b.zip'))?.size).toBe(10)
      expect(await storage.find('b')).toBeUndefined()
      expect(await text(storage.read('b.zip', 2, 5))).toBe('234')
      expect(await text(storage.read('Ü x.zip', 0, 16))).toBe('umlauts & spaces')
      for (const { key } of listed) await storage.delete(key)
      expect(await storage.list()).toEqual([])
    })

    test('stores a file of several parts unchanged', async () => {
      const content = randomBytes((8 << 20) * 2 + 4_567)
      const storage = open()
      await storage.put(fileOf(content), 'large.zip')
      const hash = createHash('sha256')
      for await (const piece of storage.read('large.zip', 0, content.length)) hash.update(piece)
      expect(hash.digest('hex')).toBe(createHash('sha256').update(content).digest('hex'))
      await storage.delete('large.zip')
    })

    test('stores no file if its source is missing', async () => {
      await expect(open().put(join(work, 'nothing'), 'c.zip')).rejects.toThrow()
      expect(await open().list()).toEqual([])
    })
  })
}

describe('a folder', () => {
  test.each(['../a.zip', 'x/a.zip', '..', '.', '', '.tmp-a', 'a\0.zip', 'a'.repeat(300)])(
    'a folder refuses the key %j',
    async (key) => {
      const storage = openFolderStorage(folder)
      expect(await storage.find(key)).toBeUndefined()
      await expect(storage.put(fileOf('x'), key)).rejects.toThrow()
      await expect(storage.delete(key)).rejects.toThrow()
      expect(readdirSync(folder)).toEqual([])
    },
  )
})

describe.skipIf(!hasS3)('a misconfigured S3 server', () => {
  test.each([
    ['a wrong secret', { secret: 'wrong' }, /signature/i],
    ['an unknown bucket', { bucket: 'missing' }, /bucket/i],
    ['no address', { endpoint: 'http://' }, /Invalid URL/],
    [
      'an address without a server',
      { endpoint: 'http://127.0.0.1:9' },
      /fetch failed|ECONNREFUSED|bad port/,
    ],
  ])('a misconfigured S3 server is reported for %s: $2', async (_, change, reason) => {
    const settings = { ...s3!.settings, ...change }
    await expect(openS3Storage(settings).list()).rejects.toThrow(reason)
    await expect(openS3Storage(settings).put(fileOf('x'), 'a.zip')).rejects.toThrow(reason)
    await expect(testS3(settings)).rejects.toThrow(reason)
  })

  test('a misconfigured S3 server is tested by a file that is deleted again', async () => {
    await testS3(s3!.settings)
    expect(await openS3Storage(s3!.settings).list()).toEqual([])
  })
})

test('a server that does not answer is given up after a time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const server = createServer(() => {})
  const { url, stop } = await listenLocally(server)
  try {
    const asked = once(server, 'request')
    const listed = openS3Storage({ ...NO_S3, endpoint: url }).list()
    await Promise.race([asked, listed])
    vi.advanceTimersByTime(30_000)
    await expect(listed).rejects.toThrow('The S3 server does not answer.')
  } finally {
    vi.useRealTimers()
    await stop()
  }
})

/** A disk is slower than the network. */
const SLOW_DISK_MS = 5

test('a backup is read to its end from a server that closes its connection', async () => {
  const content = randomBytes(128 << 10)
  const server = createServer((_, answer) => {
    const headers = { connection: 'close', 'content-length': content.length }
    answer.writeHead(206, headers).end(content)
  })
  const { url, stop } = await listenLocally(server)
  try {
    const storage = openS3Storage({ ...NO_S3, endpoint: url })
    const pieces: Buffer[] = []
    for await (const piece of storage.read('a.zip', 0, content.length)) {
      pieces.push(piece)
      await sleep(SLOW_DISK_MS)
    }
    expect(Buffer.concat(pieces).equals(content)).toBe(true)
  } finally {
    await stop()
  }
})

test('a redirect to another address is not followed', async () => {
  const elsewhere = await startReceiver()
  const server = await startReceiver()
  server.answer(307, '', { location: `${elsewhere.url}/elsewhere` })
  await expect(openS3Storage({ ...NO_S3, endpoint: server.url }).list()).rejects.toThrow()
  expect([server.told.length > 0, elsewhere.told]).toEqual([true, []])
  await Promise.all([server.stop(), elsewhere.stop()])
})
