import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { Spool } from '../../src/files/spool.ts'

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
  const spool = new Spool({ left: memory })
  for (let from = 0; from < 700; from += 70) await spool.write(part(70, from))
  // on Windows it is there until the end
  if (process.platform !== 'win32') expect(onDisk()).toBe(before)
  for (let i = 0; i < 2; i++) {
    expect(await all(spool, 256)).toEqual({ sizes: [256, 256, 188], content: part(700, 0) })
  }
  await spool.close()
  expect(onDisk()).toBe(before)
})

test('files of one request share its memory', async () => {
  const budget = { left: 100 }
  const [one, two] = [new Spool(budget), new Spool(budget)]
  await one.write(part(60, 0))
  await two.write(part(60, 0))
  await two.write(part(60, 0))
  expect(budget.left).toBe(40)
  await one.write(part(40, 0))
  expect(budget.left).toBe(0)
  await Promise.all([one.close(), two.close()])
})
