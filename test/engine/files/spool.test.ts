import { mkdirSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  openUploadSpace,
  removeLeftoverUploads,
  type Spool,
} from '../../../src/engine/files/temporary-upload.ts'
import { Budget } from '../../../src/platform/limits/byte-budget.ts'
import { temporaryFolder } from '../../support/database/temporary-folder.ts'
import { openUploads } from '../../support/open-uploads.ts'

// others on this machine have uploads, too
const folder = temporaryFolder()
vi.stubEnv('TMPDIR', folder)
afterAll(() => void vi.unstubAllEnvs())

const part = (size: number, from: number) =>
  Buffer.from(Array.from({ length: size }, (_, i) => (from + i) % 251))
const all = async (spool: Spool, bytes: number) => {
  const pieces: Buffer[] = []
  for await (const piece of spool.pieces(bytes)) pieces.push(piece)
  return { sizes: pieces.map(({ length }) => length), content: Buffer.concat(pieces) }
}
const onDisk = () => readdirSync(tmpdir()).filter((name) => name.startsWith('pocketsms-upload-'))

test.each([
  ['in memory', 1000],
  ['in a file', 10],
  ['first in memory, then in a file', 300],
])('content %s can be read in pieces repeatedly and leaves no file', async (_, memory) => {
  const space = openUploadSpace(undefined, 0, memory)
  const spool = space.makeSpool()
  for (let from = 0; from < 700; from += 70) await spool.write(part(70, from))
  // on Windows it is there until the end
  if (process.platform !== 'win32') expect(onDisk()).toEqual([])
  for (let i = 0; i < 2; i++) {
    expect(await all(spool, 256)).toEqual({ sizes: [256, 256, 188], content: part(700, 0) })
  }
  await space.close()
  expect(onDisk()).toEqual([])
})

test('the files of one request share its memory and count as one file', async () => {
  const budget = new Budget({ name: 'temporary files', total: 10_000 })
  const space = openUploadSpace(budget.open('ann'), 3_000, 100)
  const spools = Array.from({ length: 50 }, () => space.makeSpool())
  const before = openUploads()
  for (const from of [0, 30])
    await Promise.all(spools.map((spool, i) => spool.write(part(30, i + from))))
  expect(openUploads() - before).toBeLessThanOrEqual(1)
  expect(budget.taken).toBe(3_000)
  for (const [i, spool] of spools.entries())
    expect((await all(spool, 100)).content).toEqual(part(60, i))
  await space.close()
  expect(budget.taken).toBe(0)
})

test('reading part of one upload does not disturb the others', async () => {
  const space = openUploadSpace(undefined, 0, 0)
  const [first, second] = [space.makeSpool(), space.makeSpool()]
  await first.write(part(400, 0))
  for await (const piece of first.pieces(50)) {
    expect(piece).toEqual(part(50, 0))
    break
  }
  await second.write(part(100, 7))
  expect((await all(first, 500)).content).toEqual(part(400, 0))
  expect((await all(second, 500)).content).toEqual(part(100, 7))
  await space.close()
})

test('leftovers of a killed process are removed, but not recent files of another server', async () => {
  const [old, fresh] = ['old', 'new'].map((name) => join(folder, `pocketsms-upload-${name}`))
  mkdirSync(old!)
  mkdirSync(fresh!)
  const before = new Date(Date.now() - 2 * 3_600_000)
  utimesSync(old!, before, before)
  await removeLeftoverUploads()
  expect(onDisk()).toEqual(['pocketsms-upload-new'])
  rmSync(fresh!, { recursive: true })
})
