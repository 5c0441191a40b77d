import { readdirSync } from 'node:fs'
import sharp from 'sharp'
import { sniffContentType } from '../../src/engine/files/sniff-content-type.ts'
import { PHOTOS, type RealFile } from './files/photos.ts'

// The files of common programs are what their rows say, so that tests may rely on them.

const photos: readonly (readonly [string, RealFile])[] = Object.entries(PHOTOS)

test.each(photos)('the file %s has the type and the size that its row names', async (_, file) => {
  const bytes = await file.make()
  expect((await sniffContentType(bytes)).type).toBe(file.type)
  for (const told of file.tells) expect(bytes.includes(told, 0, 'latin1')).toBe(true)
  if (!file.shown) return
  const { autoOrient } = await sharp(bytes).metadata()
  expect([autoOrient.width, autoOrient.height]).toEqual(file.shown)
})

test('a photo of an iPhone has 4 MB, one of WhatsApp fits into an MMS', async () => {
  expect((await PHOTOS.iphone.make()).length).toBeGreaterThan(4 << 20)
  const { length } = await PHOTOS.whatsapp.make()
  expect(length).toBeGreaterThan(100_000)
  expect(length).toBeLessThan(200_000)
})

test('a file has the same bytes each time', async () => {
  for (const [, { make }] of photos.filter(([name]) => !['iphone', 'pixel'].includes(name)))
    expect(await make()).toEqual(await make())
})

test('the repository keeps no large file', () => {
  const folder = new URL('files/', import.meta.url)
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())
  expect(files.map(({ name }) => name).filter((name) => !/\.(?:ts|json)$/.test(name))).toEqual([
    'iphone.heic',
  ])
})
