import sharp from 'sharp'
import { makeThumbnail } from '../../../src/engine/files/make-thumbnail.ts'
import { shrinkPicture } from '../../../src/engine/files/shrink-picture.ts'

// A picture that is decoded as a whole takes up to ten bytes of memory a pixel.

const LARGE = { width: 5_000, height: 5_000 }
const draw = () => sharp({ create: { ...LARGE, channels: 3, background: 'red' } })
const shrink = (picture: Buffer) => shrinkPicture(picture, 300_000)
const makeThumb = (picture: Buffer) => makeThumbnail(picture, 'image/png', '100x100')

test.each([
  ['an interlaced JPEG', draw().jpeg({ progressive: true })],
  ['an interlaced PNG', draw().png({ progressive: true })],
  ['a GIF', draw().gif({ effort: 1 })],
])('%s of 25 million pixels is not decoded', async (_, large) => {
  const picture = await large.toBuffer()
  await expect(shrink(picture)).rejects.toThrow('too large')
  await expect(makeThumb(picture)).rejects.toThrow('too large')
})

test('a JPEG of as many pixels is, line by line', async () => {
  const picture = await draw().jpeg().toBuffer()
  expect(await sharp(await shrink(picture)).metadata()).toMatchObject({ width: 1_600 })
  expect((await makeThumb(picture)).type).toBe('image/png')
})
