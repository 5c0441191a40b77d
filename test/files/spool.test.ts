import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Spool, UploadSpace } from '../../src/files/spool.ts'
import { openUploads } from '../support/open-uploads.ts'

// others on this machine have uploads, too
const folder = mkdtempSync(join(tmpdir(), 'pocketsms-spool-'))
beforeAll(() => void vi.stubEnv('TMPDIR', folder))
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

const part = (size: number, from: number) =>
  Buffer.from(Array.from({ length: size }, (_, i) => (from + i) % 251))
const all = async (spool: Spool, bytes: number) => {
  const pieces: Buffer[] = []
  for await (const piece of spool.pieces(bytes)) pieces.push(piece)
  return { sizes: pieces.map(({ length }) => length), content: Buffer.concat(pieces) }
}
const onDisk = () => readdirSync(tmpdir()).filter((name) => name.startsWith('pocketsms-upload-')).length

test.each([
  ['in memory', 1000],
  ['in a file', 10],
  ['first in memory, then in a file', 300],
])('content %s is read in pieces, any number of times, and leaves nothing', async (_, memory) => {
  const before = onDisk()
  const space = new UploadSpace(memory)
  const spool = new Spool(space)
  for (let from = 0; from < 700; from += 70) await spool.write(part(70, from))
  // on Windows it is there until the end
  if (process.platform !== 'win32') expect(onDisk()).toBe(before)
  for (let i = 0; i < 2; i++) {
    expect(await all(spool, 256)).toEqual({ sizes: [256, 256, 188], content: part(700, 0) })
  }
  await space.close()
  expect(onDisk()).toBe(before)
})

test('files of one request share its memory, and one file', async () => {
  const space = new UploadSpace(100)
  const spools = Array.from({ length: 50 }, () => new Spool(space))
  const before = openUploads()
  for (const from of [0, 30]) await Promise.all(spools.map((spool, i) => spool.write(part(30, i + from))))
  expect(space.memory).toBe(10)
  expect(openUploads() - before).toBeLessThanOrEqual(1)
  for (const [i, spool] of spools.entries()) expect((await all(spool, 100)).content).toEqual(part(60, i))
  await space.close()
})

test.each([1000, 10])(
  'whose client is gone has no content, rather than an empty one (%i in memory)',
  async (memory) => {
    const space = new UploadSpace(memory)
    const [one, two] = [new Spool(space), new Spool(space)]
    await one.write(part(700, 0))
    await two.write(part(700, 0))
    const half = two.pieces(256)
    await half.next()
    await space.close()
    await expect(all(one, 256)).rejects.toMatchObject({ status: 400 })
    await expect(two.write(part(7, 0))).rejects.toMatchObject({ status: 400 })
  },
)

test('many requests share what memory there is, and give it back', async () => {
  const fill = async () => {
    const rooms = Array.from({ length: 10 }, () => new UploadSpace())
    for (const space of rooms) {
      const spool = new Spool(space)
      for (let i = 0; i < 16; i++) await spool.write(Buffer.alloc(1 << 20))
    }
    return rooms
  }
  for (let times = 0; times < 2; times++) {
    const rooms = await fill()
    expect(rooms.filter(({ memory }) => memory === 0)).toHaveLength(8)
    await Promise.all(rooms.map((space) => space.close()))
  }
})

test('one holder takes its share of the memory only; the rest is in its files', async () => {
  const sender = (holder: string) => ({ holder, maxBytes: 32 << 20 })
  const rooms = ['ann', 'ann', 'bob'].map((holder) => new UploadSpace(undefined, sender(holder)))
  const spools = rooms.map((space) => new Spool(space))
  for (const spool of spools) for (let i = 0; i < 12; i++) await spool.write(Buffer.alloc(1 << 20, i))
  expect(rooms.map(({ memory }) => memory >> 20)).toEqual([4, 12, 4])
  expect((await all(spools[1]!, 12 << 20)).content.at(-1)).toBe(11)
  await Promise.all(rooms.map((space) => space.close()))
  const next = new UploadSpace(undefined, sender('ann'))
  await new Spool(next).write(Buffer.alloc(16 << 20))
  expect(next.memory).toBe(0)
  await next.close()
})
