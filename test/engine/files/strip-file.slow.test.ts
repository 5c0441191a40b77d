import { deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { findGifBlocks, readPngChunks } from '../../../src/engine/files/picture-parts.ts'
import { checkPictureWork } from '../../../src/engine/files/picture-work.ts'
import { sniffContentType } from '../../../src/engine/files/sniff-content-type.ts'
import { stripFile } from '../../../src/engine/files/strip-file.ts'
import { insertSegments, segment } from '../../payloads/files/jpeg-segments.ts'
import {
  box,
  gifExtension,
  insertBlocks,
  insertChunks,
  pngChunk,
} from '../../payloads/files/other-chunks.ts'
import { PHOTOS, type RealFile } from '../../payloads/files/photos.ts'
import {
  repeatPart,
  writeFlatPng,
  writeOverlappingProfile,
  writeProfileProgram,
  writeTrackedFilm,
} from '../../payloads/files/worst-pictures.ts'

// A file keeps what its decoder needs, and nothing that a program wrote beside it.

const stripped: readonly (readonly [string, RealFile])[] = Object.entries(PHOTOS).filter(
  ([, { type }]) => !['image/webp', 'image/heic'].includes(type),
)

test.each(stripped)('the file %s says nothing more, and shows the same', async (_, file) => {
  const given = await file.make()
  const kept = stripFile(given, file.type)!
  for (const told of file.tells) expect(kept.includes(told, 0, 'latin1')).toBe(false)
  expect((await sniffContentType(kept)).type).toBe(file.type)
  expect(stripFile(kept, file.type)).toEqual(kept)
  if (!file.shown) return
  const pages = file.type === 'image/gif' ? { pages: -1 } : {}
  const pixels = (bytes: Buffer) => sharp(bytes, pages).raw().toBuffer()
  expect(Buffer.compare(await pixels(kept), await pixels(given))).toBe(0)
})

test('a picture without anything beside it keeps its bytes', async () => {
  const given = await PHOTOS.whatsapp.make()
  expect(stripFile(given, 'image/jpeg')).toEqual(given)
})

test('the colours of a profile stay, the names in it do not', async () => {
  const { icc: given } = await sharp(await PHOTOS.iphoneSmall.make()).metadata()
  expect(given!.includes('rXYZ')).toBe(true)
  expect(given!.includes('desc')).toBe(true)
  for (const photo of [PHOTOS.iphoneSmall, PHOTOS.mac]) {
    const kept = stripFile(await photo.make(), photo.type)!
    const { icc } = await sharp(kept).metadata()
    expect(icc!.includes('rXYZ')).toBe(true)
    expect(icc!.includes('desc')).toBe(false)
  }
})

const isTooLarge = (file: Buffer): boolean => {
  try {
    checkPictureWork(file)
    return false
  } catch {
    return true
  }
}

const SECRET = 'Torstrasse 1'
const jpeg = await PHOTOS.iphoneSmall.make()
const png = await PHOTOS.gnome.make()
const gif = await PHOTOS.gif.make()
const webp = await PHOTOS.sticker.make()

test.each([
  [
    'each APPn of a JPEG',
    'image/jpeg',
    insertSegments(jpeg, ...Array.from({ length: 16 }, (_, i) => segment(0xe0 + i, SECRET))),
  ],
  [
    'the small picture of JFIF',
    'image/jpeg',
    insertSegments(jpeg, segment(0xe0, `JFIF\0\x01\x01\0\0\x01\0\x01\x02\x02${SECRET}`)),
  ],
  [
    'the end of Adobe’s segment',
    'image/jpeg',
    insertSegments(jpeg, segment(0xee, `Adobe\0\x64\0\0\0\0\x01${SECRET}`)),
  ],
  ['what follows a JPEG', 'image/jpeg', Buffer.concat([jpeg, Buffer.from(SECRET)])],
  ['bytes between segments', 'image/jpeg', insertSegments(jpeg, Buffer.from(SECRET))],
  [
    'unknown chunks of a PNG',
    'image/png',
    insertChunks(png, pngChunk('prVt', SECRET), pngChunk('ABCD', SECRET)),
  ],
  ['the time of a PNG', 'image/png', insertChunks(png, pngChunk('tIME', SECRET))],
  ['what follows a PNG', 'image/png', Buffer.concat([png, pngChunk('tEXt', SECRET)])],
  ['words of a GIF', 'image/gif', insertBlocks(gif, gifExtension(0x01, 'x'.repeat(12), SECRET))],
  [
    'a second block of a loop',
    'image/gif',
    insertBlocks(gif, gifExtension(0xff, 'NETSCAPE2.0', '\x01\0\0', SECRET)),
  ],
  [
    'a film’s unknown box',
    'video/mp4',
    Buffer.concat([await PHOTOS.film.make(), box('skip', SECRET)]),
  ],
  [
    'a film’s name of a part',
    'video/3gpp',
    Buffer.concat([
      box('ftyp', '3gp5\0\0\0\0'),
      box(
        'moov',
        box('trak', box('mdia', box('hdlr', '\0\0\0\0\0\0\0\0vide', Buffer.alloc(12), SECRET))),
      ),
    ]),
  ],
  [
    'a track of places',
    'video/mp4',
    Buffer.concat([
      box('ftyp', 'mp42\0\0\0\0'),
      box(
        'moov',
        box(
          'trak',
          box('tkhd', SECRET),
          box('mdia', box('hdlr', '\0\0\0\0\0\0\0\0meta', Buffer.alloc(12), SECRET)),
        ),
      ),
    ]),
  ],
])('%s does not stay', (_, type, file) => {
  expect(file.includes(SECRET)).toBe(true)
  expect(stripFile(file, type)!.includes(SECRET)).toBe(false)
})

test('a GIF keeps its loop and its pauses', async () => {
  const kept = stripFile(gif, 'image/gif')!
  expect(await sharp(kept).metadata()).toMatchObject({ pages: 2, loop: 0, delay: [200, 200] })
})

test('a PNG keeps transparency, palette and frames', async () => {
  const palette = await sharp(png).ensureAlpha(0.5).png({ palette: true }).toBuffer()
  const types = [...readPngChunks(stripFile(palette, 'image/png')!)].map(({ type }) => type)
  expect(types).toEqual(expect.arrayContaining(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND']))
  const moving = stripFile(await PHOTOS.animatedPng.make(), 'image/png')!
  const frames = [...readPngChunks(moving)].map(({ type }) => type)
  expect(frames).toEqual(['IHDR', 'acTL', 'fcTL', 'IDAT', 'fcTL', 'fdAT', 'IEND'])
})

test('a film keeps the addresses of its data', async () => {
  const given = await PHOTOS.film.make()
  const kept = stripFile(given, 'video/mp4')!
  expect(kept.length).toBe(given.length)
  expect(kept.indexOf('mdat')).toBe(given.indexOf('mdat'))
  expect(kept.subarray(given.indexOf('mdat'))).toEqual(given.subarray(given.indexOf('mdat')))
})

test.each([
  ['image/jpeg', jpeg],
  ['image/png', png],
  ['image/gif', gif],
  ['image/webp', webp],
  ['video/mp4', await PHOTOS.film.make()],
])('a file of the type %s that is cut off gives no error', (type, file) => {
  for (let length = 0; length < Math.min(file.length, 3_000); length += 11)
    expect(() => stripFile(file.subarray(0, length), type)).not.toThrow()
})

test.each(['text/plain', 'text/vcard', 'text/calendar', 'application/pdf', 'audio/mpeg'])(
  'a file of the type %s is what its sender wrote',
  (type) => {
    const file = Buffer.from('BEGIN:VCARD\r\nNOTE:Torstrasse 1\r\nEND:VCARD\r\n')
    expect(stripFile(file, type)).toBe(file)
  },
)

test.each([
  ['of places', {}],
  ['with short sizes', { sizes: 'stz2' }],
  ['with long addresses', { offsets: 'co64' }],
  ['of a camera’s own kind', { handler: 'camm' }],
])('the samples of a track %s do not stay in a film', (_, form) => {
  const film = writeTrackedFilm([SECRET, `${SECRET}2`, SECRET], form)
  const kept = stripFile(film, 'video/mp4')!
  expect(kept.includes('Torstrasse')).toBe(false)
  expect(kept.length).toBe(film.length)
  expect(kept.toString('latin1').split('PICTURE!').length - 1).toBe(3)
})

test('a film does not say with which program or device its pictures were coded', () => {
  const entry = (code: string) =>
    box(
      code,
      Buffer.concat([Buffer.alloc(6), Buffer.from([0, 1])]),
      Buffer.concat([Buffer.alloc(4), Buffer.from('GoPr'), Buffer.alloc(8)]),
      Buffer.from([7, 128, 4, 56, 0, 72, 0, 0, 0, 72, 0, 0, 0, 0, 0, 0, 0, 1]),
      `\x11GoPro AVC encoder`.padEnd(32, '\0'),
      Buffer.from([0, 24, 0xff, 0xff]),
      box('avcC', 'CODEBOOK'),
    )
  for (const code of ['avc1', 'hvc1', 'mp4v', 's263']) {
    const table = box('stsd', Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]), entry(code))
    const kind = box('hdlr', '\0\0\0\0mhlrvide', 'appl', Buffer.alloc(8))
    const track = box('trak', box('mdia', kind, box('minf', box('stbl', table))))
    const film = Buffer.concat([box('ftyp', 'mp42\0\0\0\0'), box('moov', track)])
    const kept = stripFile(film, 'video/mp4')!
    expect(kept.length).toBe(film.length)
    for (const told of ['GoPr', 'appl', 'encoder']) expect(kept.includes(told)).toBe(false)
    for (const needed of [code, 'CODEBOOK', 'vide', '\x07\x80\x04\x38\0\x48', '\0\x18\xff\xff'])
      expect(kept.includes(needed, 0, 'latin1')).toBe(true)
  }
})

test.each(['vide', 'soun', 'sbtl'])('the samples of a track %s stay in a film', (handler) => {
  const kept = stripFile(writeTrackedFilm([SECRET], { handler }), 'video/mp4')!
  expect(kept.includes(SECRET)).toBe(true)
})

const afterStart = (part: Buffer) =>
  Buffer.concat([jpeg.subarray(0, 2), repeatPart(part), jpeg.subarray(2)])
const inScan = (part: Buffer) =>
  Buffer.concat([jpeg.subarray(0, -2), repeatPart(part), jpeg.subarray(-2)])
const gifWith = (part: Buffer) =>
  Buffer.concat([
    gif.subarray(0, findGifBlocks(gif)),
    repeatPart(part),
    gif.subarray(findGifBlocks(gif)),
  ])
const filmWith = (part: Buffer) => Buffer.concat([box('ftyp', 'mp42\0\0\0\0'), repeatPart(part)])

test.each([
  ['a JPEG of empty comments', 'image/jpeg', afterStart(Buffer.from([0xff, 0xfe, 0, 2]))],
  ['a JPEG of restarts', 'image/jpeg', afterStart(Buffer.from([0xff, 0xdd, 0, 4, 0, 0]))],
  ['a JPEG of fill bytes', 'image/jpeg', afterStart(Buffer.from([0xff]))],
  ['a scan of stuffed bytes', 'image/jpeg', inScan(Buffer.from([0xff, 0]))],
  ['a PNG of empty parts', 'image/png', insertChunks(png, repeatPart(pngChunk('IDAT', '')))],
  ['a GIF of empty comments', 'image/gif', gifWith(Buffer.from([0x21, 0xfe, 0]))],
  ['a film of empty boxes', 'video/mp4', filmWith(box('free', ''))],
  ['a film of empty tracks', 'video/mp4', filmWith(box('moov', box('trak', '')))],
  ['a film of boxes in boxes', 'video/mp4', filmWith(Buffer.from('\0\0\0\0moov', 'latin1'))],
])('%s of 20 MB holds the server up for less than half a second', (_, type, file) => {
  const before = process.cpuUsage()
  expect(() => stripFile(file, type)).not.toThrow()
  expect(isTooLarge(file)).toBeTypeOf('boolean')
  const { user, system } = process.cpuUsage(before)
  expect(user + system).toBeLessThan(500_000)
})

test.each([
  ['of overlapping tags', writeOverlappingProfile(4_000_000, 100)],
  [
    'of tags that overlap at one place',
    writeOverlappingProfile(4_000_000, 100, (i) => (i % 2 ? 0 : 3_900_000)),
  ],
])('a profile %s does not grow', (_, profile) => {
  const packed = Buffer.concat([Buffer.from('x\0\0'), deflateSync(profile)])
  const file = insertChunks(writeFlatPng(16, 16), pngChunk('iCCP', packed))
  const segments: Buffer[] = []
  for (let at = 0; at < profile.length; at += 65_000)
    segments.push(
      segment(
        0xe2,
        Buffer.concat([
          Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1'),
          profile.subarray(at, at + 65_000),
        ]),
      ),
    )
  const before = process.cpuUsage()
  expect(stripFile(file, 'image/png')!.length).toBeLessThan(1_000)
  expect(stripFile(insertSegments(jpeg, ...segments), 'image/jpeg')!.length).toBeLessThan(
    jpeg.length,
  )
  const { user, system } = process.cpuUsage(before)
  expect(user + system).toBeLessThan(500_000)
})

test('a profile leaves without the program in it, and with its colours', () => {
  const icc = Buffer.concat([
    Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1'),
    writeProfileProgram(10),
  ])
  const kept = stripFile(insertSegments(jpeg, segment(0xe2, icc)), 'image/jpeg')!
  expect(kept.includes('D2B0')).toBe(false)
  expect(kept.includes('mpet')).toBe(false)
  expect(kept.includes('rXYZ')).toBe(true)
})

test('a GIF whose pause is of a wrong length is still one', async () => {
  for (const wrong of [
    Buffer.from([0x21, 0xf9, 0]),
    Buffer.from([0x21, 0xf9, 5, 0, 9, 0, 0, 0, 0]),
  ]) {
    const kept = stripFile(insertBlocks(gif, wrong), 'image/gif')!
    expect((await sharp(kept).metadata()).pages).toBe(2)
  }
})
