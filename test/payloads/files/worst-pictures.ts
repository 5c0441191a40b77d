import { deflateSync } from 'node:zlib'
import { segment } from './jpeg-segments.ts'
import {
  box,
  compressedText,
  insertChunks,
  PNG_SIGNATURE,
  pngChunk,
  riffChunk,
} from './other-chunks.ts'

// Small files, most of them valid, that take a decoder long. Each is written byte by byte.

interface Frame {
  readonly width: number
  readonly height: number
  /** Progressive (2), arithmetic (9), lossless (3): SOFn of T.81, table B.1. */
  readonly process?: number
  readonly colours?: number
}

const sizes = ({ width, height }: Frame) => [height >> 8, height & 255, width >> 8, width & 255]

function startJpeg({ process = 2, colours = 3, ...frame }: Frame): Buffer[] {
  const parts = Array.from({ length: colours }, (_, i) => [i + 1, 0x11, 0])
  return [
    Buffer.from([0xff, 0xd8]),
    segment(0xdb, Buffer.alloc(65, 1).fill(0, 0, 1)),
    segment(0xc0 + process, Buffer.from([8, ...sizes(frame), colours, ...parts.flat()])),
    // one code for a difference of 0, one for a run of blocks without values
    segment(0xc4, Buffer.from([0x00, 1, ...Array(15).fill(0), 0])),
    segment(0xc4, Buffer.from([0x10, 1, ...Array(15).fill(0), 0xe0])),
  ]
}

const startScan = (colours: readonly number[], spectrum: readonly number[]) =>
  segment(
    0xda,
    Buffer.from([colours.length, ...colours.flatMap((colour) => [colour, 0]), ...spectrum]),
  )

const countBlocks = ({ width, height }: Frame) => Math.ceil(width / 8) * Math.ceil(height / 8)

/** A run has up to 32,767 blocks and takes 15 bits. */
function writeRuns(blocks: number): Buffer {
  const runs = `0${'1'.repeat(14)}`.repeat(Math.ceil(blocks / 32_767))
  const bytes: number[] = []
  for (let at = 0; at < runs.length; at += 8) {
    const byte = Number.parseInt(runs.slice(at, at + 8).padEnd(8, '1'), 2)
    bytes.push(byte, ...(byte === 0xff ? [0] : []))
  }
  return Buffer.from(bytes)
}

/** A valid progressive JPEG with any number of scans: each coefficient by itself, then finer. */
export function writeManyScans(frame: Frame, scans: number): Buffer {
  const { colours = 3 } = frame
  const all = Array.from({ length: colours }, (_, i) => i + 1)
  const runs = writeRuns(countBlocks(frame))
  const parts = startJpeg(frame)
  parts.push(startScan(all, [0, 0, 0]), Buffer.alloc(Math.ceil((countBlocks(frame) * colours) / 8)))
  for (let i = 0; i < scans; i++) {
    const [colour, step] = [1 + (i % colours), Math.floor(i / colours)]
    const [k, level] = [1 + (step % 63), 13 - Math.floor(step / 63)]
    const bits = level === 13 ? 13 : ((level + 1) << 4) | level
    parts.push(startScan([colour], [k, k, bits]), runs)
  }
  return Buffer.concat([...parts, Buffer.from([0xff, 0xd9])])
}

/** A JPEG that repeats its only scan. */
export function writeRepeatedScan(frame: Frame, scans: number): Buffer {
  const scan = [startScan([1], [0, 63, 0]), Buffer.alloc(200)]
  const parts = startJpeg({ ...frame, process: 0, colours: 1 })
  for (let i = 0; i < scans; i++) parts.push(...scan)
  return Buffer.concat([...parts, Buffer.from([0xff, 0xd9])])
}

/** A JPEG with this kind of frame and one scan. */
export const writeFrame = (frame: Frame): Buffer =>
  Buffer.concat([
    ...startJpeg(frame),
    startScan([1, 2, 3], [0, 63, 0]),
    Buffer.alloc(200),
    Buffer.from([0xff, 0xd9]),
  ])

/** A baseline JPEG whose colours have scans of their own: a decoder keeps the whole picture. */
export const writeSeparateScans = (frame: Frame): Buffer =>
  Buffer.concat([
    ...startJpeg({ ...frame, process: 0 }),
    ...[1, 2, 3].flatMap((colour) => [startScan([colour], [0, 63, 0]), Buffer.alloc(200)]),
    Buffer.from([0xff, 0xd9]),
  ])

/** A PNG of one colour. `depth`: 8 or 16 bits of each of four channels. */
export function writeFlatPng(width: number, height: number, depth = 8, interlaced = 0): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, 6, 0, 0, interlaced], 8)
  const row = 1 + (width * 4 * depth) / 8
  const data = deflateSync(Buffer.alloc(Math.min(row * height, 1 << 20)))
  return Buffer.concat([
    PNG_SIGNATURE,
    pngChunk('IHDR', header),
    pngChunk('IDAT', data),
    pngChunk('IEND', ''),
  ])
}

/** A GIF with any number of frames. `framed`: the size of each, if not of the screen. */
export function writeManyFrames(
  width: number,
  height: number,
  frames: number,
  framed: readonly [number, number] = [1, 1],
): Buffer {
  const screen = Buffer.from('GIF89a\0\0\0\0\x80\0\0\0\0\0\xff\xff\xff', 'latin1')
  screen.writeUInt16LE(width, 6)
  screen.writeUInt16LE(height, 8)
  const frame = Buffer.from(',\0\0\0\0\0\0\0\0\0\x02\x02\x44\x01\0', 'latin1')
  frame.writeUInt16LE(framed[0], 5)
  frame.writeUInt16LE(framed[1], 7)
  return Buffer.concat([screen, ...Array<Buffer>(frames).fill(frame), Buffer.from(';')])
}

/** A lossless WebP of one colour: each of its codes has one symbol, so pixels take no bits. RFC 9649, 3 */
export function writeFlatWebp(width: number, height: number): Buffer {
  const head = Buffer.from([0x2f, 0, 0, 0, 0])
  head.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 1)
  const codes = Buffer.from([0x88, 0x88, 0x08, 0, 0, 0, 0, 0])
  return riffChunk(
    'RIFF',
    Buffer.concat([Buffer.from('WEBP'), riffChunk('VP8L', Buffer.concat([head, codes]))]),
  )
}

/** An animated WebP of one pixel. RFC 9649, 2.7 */
export function writeWebpFrames(frames: number): Buffer {
  const pixel = writeFlatWebp(1, 1).subarray(12)
  const frame = riffChunk('ANMF', Buffer.concat([Buffer.alloc(16).fill(1, 12, 13), pixel]))
  const head = [
    riffChunk('VP8X', Buffer.alloc(10).fill(2, 0, 1)),
    riffChunk('ANIM', Buffer.alloc(6)),
  ]
  const parts = [Buffer.from('WEBP'), ...head, ...Array<Buffer>(frames).fill(frame)]
  return riffChunk('RIFF', Buffer.concat(parts))
}

/** A PNG whose words are packed: each 8 kB become 7.9 MB. */
export const writePackedWords = (count: number): Buffer =>
  insertChunks(
    writeFlatPng(16, 16),
    ...Array<Buffer>(count).fill(compressedText('Comment', 'A'.repeat(7_900_000))),
  )

/** A profile of colours of `bytes` bytes whose tags overlap. ICC.1:2022, 7.3 */
export function writeOverlappingProfile(
  bytes: number,
  tags: number,
  sizeOf = (i: number) => bytes - i,
): Buffer {
  const profile = Buffer.alloc(bytes)
  profile.write('acsp', 36, 'latin1')
  profile.writeUInt32BE(tags, 128)
  for (let i = 0; i < tags; i++) {
    profile.write('rXYZ', 132 + 12 * i, 'latin1')
    profile.writeUInt32BE(i, 136 + 12 * i)
    profile.writeUInt32BE(sizeOf(i), 140 + 12 * i)
  }
  return profile
}

/** A profile of colours with a transform of many steps, each of which changes nothing. ICC.1:2022, 10.16 */
export function writeProfileProgram(steps: number, tag = 'D2B0'): Buffer {
  const numbers = (...values: readonly number[]) => {
    const bytes = Buffer.alloc(values.length * 4)
    for (const [i, value] of values.entries()) bytes.writeInt32BE(Math.round(value), 4 * i)
    return bytes
  }
  const xyz = (...values: readonly number[]) =>
    Buffer.concat([Buffer.from('XYZ \0\0\0\0'), numbers(...values.map((one) => one * 65_536))])
  const curve = Buffer.from('curv\0\0\0\0\0\0\0\x01\x02\0\0\0', 'latin1')
  const step = Buffer.concat([Buffer.from('matf\0\0\0\0\0\x03\0\x03'), Buffer.alloc(48)])
  for (const place of [12, 28, 44]) step.writeFloatBE(1, place)
  const head = Buffer.concat([Buffer.from('mpet\0\0\0\0\0\x03\0\x03'), numbers(steps)])
  const places = Array.from({ length: steps }, () => [head.length + 8 * steps, step.length])
  const tags: readonly (readonly [string, Buffer])[] = [
    [tag, Buffer.concat([head, numbers(...places.flat()), step])],
    ['wtpt', xyz(0.9642, 1, 0.8249)],
    ['rXYZ', xyz(0.436, 0.222, 0.014)],
    ['gXYZ', xyz(0.385, 0.717, 0.097)],
    ['bXYZ', xyz(0.143, 0.061, 0.714)],
    ...['rTRC', 'gTRC', 'bTRC'].map((name) => [name, curve] as const),
  ]
  const profile = Buffer.alloc(132 + 12 * tags.length)
  let end = profile.length
  for (const [i, [name, data]] of tags.entries()) {
    profile.write(name, 132 + 12 * i, 'latin1')
    numbers(end, data.length).copy(profile, 136 + 12 * i)
    end += data.length
  }
  numbers(end, 0, 0x04_30_00_00).copy(profile)
  profile.write('mntrRGB XYZ ', 12, 'latin1')
  profile.write('acsp', 36, 'latin1')
  numbers(0.9642 * 65_536, 65_536, 0.8249 * 65_536).copy(profile, 68)
  numbers(tags.length).copy(profile, 128)
  return Buffer.concat([profile, ...tags.map(([, data]) => data)])
}

/** A part that is repeated to 20 MB, the size of all files of a send. */
export const repeatPart = (part: Buffer | string): Buffer =>
  Buffer.alloc(20_000_000 - (20_000_000 % part.length), part as string, 'latin1')

/** A film with a track of places, whose samples lie in `mdat` at the offsets of its chunks. */
export function writeTrackedFilm(
  samples: readonly string[],
  { handler = 'meta', sizes = 'stsz', offsets = 'stco' }: Readonly<Record<string, string>> = {},
): Buffer {
  const number = (...values: readonly number[]) =>
    Buffer.concat(values.map((value) => Buffer.from(value.toString(16).padStart(8, '0'), 'hex')))
  const picture = 'PICTURE!'
  const head = box('ftyp', 'mp42\0\0\0\0')
  // a sample of the pictures before each of the other track
  const data = box('mdat', ...samples.flatMap((sample) => [picture, sample]))
  const starts: number[] = []
  let at = head.length + 8
  for (const sample of samples) {
    starts.push(at + picture.length)
    at += picture.length + sample.length
  }
  const lengths = samples.map(({ length }) => length)
  const table = box(
    'stbl',
    box('stsd', number(0, 0)),
    box('stsc', number(0, 1, 1, 1, 1)),
    sizes === 'stz2'
      ? box('stz2', number(0, 8, samples.length), Buffer.from(lengths))
      : box('stsz', number(0, 0, samples.length, ...lengths)),
    offsets === 'co64'
      ? box('co64', number(0, samples.length, ...starts.flatMap((start) => [0, start])))
      : box('stco', number(0, samples.length, ...starts)),
  )
  const kind = box('hdlr', '\0\0\0\0\0\0\0\0', handler, Buffer.alloc(12))
  const track = box('trak', box('mdia', kind, box('minf', table)))
  return Buffer.concat([head, data, box('moov', track)])
}
