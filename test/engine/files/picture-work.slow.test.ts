import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import {
  isDecodable,
  isTurned,
  makeThumbnail,
  openUpright,
} from '../../../src/engine/files/make-thumbnail.ts'
import { limitWholeDots } from '../../../src/engine/files/picture-work.ts'
import { shrinkPicture } from '../../../src/engine/files/shrink-picture.ts'
import { segment } from '../../payloads/files/jpeg-segments.ts'
import {
  compressedText,
  insertChunks,
  pngChunk,
  riffChunk,
} from '../../payloads/files/other-chunks.ts'
import { PHOTOS } from '../../payloads/files/photos.ts'
import {
  writeFlatPng,
  writeFlatWebp,
  writeFrame,
  writeManyFrames,
  writeManyScans,
  writePackedWords,
  writeProfileProgram,
  writeRepeatedScan,
  writeSeparateScans,
  writeWebpFrames,
} from '../../payloads/files/worst-pictures.ts'

// What a picture costs is read from its parts before it is decoded.

const HUGE = { width: 4_896, height: 4_896 }
const SMALL = { width: 640, height: 480 }

const worst: readonly (readonly [string, string, Buffer])[] = [
  ['a JPEG with 400 scans', 'image/jpeg', writeManyScans(HUGE, 400)],
  ['a JPEG with 60 scans', 'image/jpeg', writeManyScans(HUGE, 60)],
  [
    'a JPEG of four colours with 60 scans',
    'image/jpeg',
    writeManyScans({ ...HUGE, colours: 4 }, 60),
  ],
  ['a small JPEG with 2,600 scans', 'image/jpeg', writeManyScans(SMALL, 2_600)],
  ['a JPEG that repeats its scan', 'image/jpeg', writeRepeatedScan(HUGE, 40)],
  [
    'a JPEG with its colours apart',
    'image/jpeg',
    writeSeparateScans({ width: 8_000, height: 8_000 }),
  ],
  ['a JPEG with arithmetic codes', 'image/jpeg', writeFrame({ ...SMALL, process: 9 })],
  ['a lossless JPEG', 'image/jpeg', writeFrame({ ...SMALL, process: 3 })],
  ['a JPEG of 65,500 times 65,500', 'image/jpeg', writeFrame({ width: 65_500, height: 65_500 })],
  ['a PNG of 100,000 times 100,000', 'image/png', writeFlatPng(100_000, 100_000)],
  ['a PNG of 16 bits a colour', 'image/png', writeFlatPng(8_000, 8_000, 16)],
  ['an interlaced PNG', 'image/png', writeFlatPng(5_000, 5_000, 8, 1)],
  ['a GIF with 10,000 frames', 'image/gif', writeManyFrames(100, 100, 10_000)],
  ['a GIF of 65,535 times 65,535', 'image/gif', writeManyFrames(65_535, 65_535, 1)],
  ['a GIF whose frame is larger', 'image/gif', writeManyFrames(10, 10, 1, [65_535, 65_535])],
  ['a WebP of 16,384 times 16,384', 'image/webp', writeFlatWebp(16_384, 16_384)],
  ['a WebP with 5,100 frames', 'image/webp', writeWebpFrames(5_100)],
]

test.each(worst)('%s is not decoded', async (_, type, picture) => {
  expect(picture.length).toBeLessThan(250_000)
  const before = process.cpuUsage()
  expect(await isDecodable(picture)).toBe(false)
  await expect(shrinkPicture(picture, 300_000)).rejects.toThrow('too large')
  await expect(makeThumbnail(picture, type, '100x100')).rejects.toThrow('too large')
  const { user, system } = process.cpuUsage(before)
  expect(user + system).toBeLessThan(200_000)
})

test.each([
  [128, 1_000_000],
  [256, 2_553_054],
  [512, 14_224_161],
  [1_024, 24_000_000],
])(
  'with %i MB of memory, a picture that is decoded as a whole has at most %i pixels',
  (mb, dots) => {
    expect(limitWholeDots(mb * 2 ** 20)).toBe(dots)
  },
)

test('the builders write pictures that a decoder accepts', async () => {
  for (const picture of [
    writeManyScans(SMALL, 20),
    writeManyFrames(100, 100, 20),
    writeFlatPng(100, 100),
    writeFlatWebp(100, 100),
    writeWebpFrames(20),
    writePackedWords(1),
  ])
    expect((await sharp(picture).raw().toBuffer()).length).toBeGreaterThan(0)
})

test('words that are packed in a PNG are not unpacked', async () => {
  const picture = writePackedWords(100)
  const before = process.cpuUsage()
  expect(await isDecodable(picture)).toBe(true)
  expect(await shrinkPicture(picture, 300_000)).toBeDefined()
  expect((await makeThumbnail(picture, 'image/png', '100x100')).content.size).toBeGreaterThan(0)
  const { user, system } = process.cpuUsage(before)
  expect(user + system).toBeLessThan(500_000)
})

const profile = writeProfileProgram(5_000)
const blank = sharp({ create: { width: 16, height: 16, channels: 3, background: 'teal' } })
const marked = (await blank.clone().jpeg().toBuffer()).subarray(2)
const segmentOf = (part: Buffer) =>
  segment(0xe2, Buffer.concat([Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1'), part]))
const webp = (await blank.clone().webp().toBuffer()).subarray(12)

test.each([
  ['JPEG', 'image/jpeg', Buffer.concat([Buffer.from([0xff, 0xd8]), segmentOf(profile), marked])],
  [
    'PNG',
    'image/png',
    insertChunks(
      writeFlatPng(16, 16),
      pngChunk('iCCP', Buffer.concat([Buffer.from('x\0\0'), deflateSync(profile)])),
    ),
  ],
  [
    'WebP',
    'image/webp',
    riffChunk(
      'RIFF',
      Buffer.concat([
        Buffer.from('WEBP'),
        riffChunk('VP8X', Buffer.from([32, 0, 0, 0, 15, 0, 0, 15, 0, 0])),
        riffChunk('ICCP', profile),
        webp,
      ]),
    ),
  ],
])('the program in the profile of a %s is not run', async (_, type, picture) => {
  const { icc } = await sharp(picture).metadata()
  expect(icc?.includes('D2B0')).toBe(true)
  const before = process.cpuUsage()
  expect(await isDecodable(picture)).toBe(true)
  expect(await shrinkPicture(picture, 300_000)).toBeDefined()
  expect((await makeThumbnail(picture, type, '8x8')).content.size).toBeGreaterThan(0)
  const { user, system } = process.cpuUsage(before)
  expect(user + system).toBeLessThan(1_000_000)
})

test('a profile without a program still defines the colours of its picture', async () => {
  const photo = await PHOTOS.iphoneSmall.make()
  const { data } = await (await openUpright(photo)).upright
    .raw()
    .toBuffer({ resolveWithObject: true })
  const shown = await sharp(photo).rotate().raw().toBuffer()
  const ignored = await sharp(photo, { ignoreIcc: true }).rotate().raw().toBuffer()
  expect(Buffer.compare(data, shown)).toBe(0)
  expect(Buffer.compare(data, ignored)).not.toBe(0)
})

test('a PNG with words keeps its pixels, its colours and its direction', async () => {
  const { upright } = await openUpright(await PHOTOS.gnome.make())
  const shown = await sharp(await PHOTOS.gnome.make())
    .toColourspace('srgb')
    .raw()
    .toBuffer()
  expect(Buffer.compare(await upright.toColourspace('srgb').raw().toBuffer(), shown)).toBe(0)
  const lying = await sharp(await PHOTOS.gnome.make())
    .withMetadata({ orientation: 6 })
    .png()
    .toBuffer()
  expect(await isTurned(insertChunks(lying, compressedText('Comment', 'a walk')))).toBe(true)
})

test.each(Object.entries(PHOTOS).filter(([, { type }]) => /jpeg|png|gif|webp/.test(type)))(
  'the photo %s is decoded',
  async (_, { make }) => {
    const picture = await make()
    expect(await isDecodable(picture)).toBe(true)
    expect(await shrinkPicture(picture, 300_000)).toBeDefined()
  },
)

test.each([
  [
    'a progressive photo of 12 million pixels',
    { width: 4_032, height: 3_024 },
    { progressive: true },
  ],
  ['a progressive photo of mozjpeg', { width: 3_000, height: 2_000 }, { mozjpeg: true }],
  ['a photo of 64 million pixels', { width: 8_000, height: 8_000 }, {}],
])('%s is decoded', async (_, size, options) => {
  const picture = await sharp({ create: { ...size, channels: 3, background: 'teal' } })
    .jpeg(options)
    .toBuffer()
  expect(await isDecodable(picture)).toBe(true)
})

test('a picture that is cut off anywhere is judged without an error of its own', async () => {
  for (const picture of [writeManyScans(SMALL, 3), writeManyFrames(9, 9, 3), writeFlatPng(9, 9)])
    for (let length = 0; length < Math.min(600, picture.length); length += 7)
      expect(typeof (await isDecodable(picture.subarray(0, length)))).toBe('boolean')
})
