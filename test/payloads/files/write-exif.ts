import { segment } from './jpeg-segments.ts'

// EXIF, byte by byte. CIPA DC-008: https://www.cipa.jp/std/documents/e/DC-X008-Translation-2019-E.pdf

type Entry = readonly [tag: number, type: number, count: number, value: Buffer]

const ascii = (tag: number, text: string): Entry => [
  tag,
  2,
  text.length + 1,
  Buffer.from(`${text}\0`),
]
const undefinedBytes = (tag: number, bytes: Buffer): Entry => [tag, 7, bytes.length, bytes]

function short(tag: number, value: number): Entry {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return [tag, 3, 1, bytes]
}

function long(tag: number, value: number): Entry {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return [tag, 4, 1, bytes]
}

function rationals(tag: number, ...values: readonly number[]): Entry {
  const bytes = Buffer.alloc(8 * values.length)
  for (const [i, value] of values.entries()) {
    bytes.writeUInt32BE(Math.round(value * 100), 8 * i)
    bytes.writeUInt32BE(100, 8 * i + 4)
  }
  return [tag, 5, values.length, bytes]
}

/** An image file directory that begins at `offset`, with its values behind it. */
function directory(offset: number, entries: readonly Entry[], next = 0): Buffer {
  const head = Buffer.alloc(2 + 12 * entries.length + 4)
  head.writeUInt16BE(entries.length, 0)
  const values: Buffer[] = []
  let free = offset + head.length
  for (const [i, [tag, type, count, value]] of entries.entries()) {
    const at = 2 + 12 * i
    head.writeUInt16BE(tag, at)
    head.writeUInt16BE(type, at + 2)
    head.writeUInt32BE(count, at + 4)
    if (value.length <= 4) {
      value.copy(head, at + 8)
      continue
    }
    head.writeUInt32BE(free, at + 8)
    const even = value.length % 2 ? Buffer.concat([value, Buffer.alloc(1)]) : value
    values.push(even)
    free += even.length
  }
  head.writeUInt32BE(next, head.length - 4)
  return Buffer.concat([head, ...values])
}

export interface Shot {
  readonly make: string
  readonly model: string
  /** As in EXIF: 6 for a phone that was held upright. */
  readonly orientation: number
  readonly software: string
  readonly taken: string
  /** The maker's own block. */
  readonly note?: Buffer
  /** A small JPEG. */
  readonly thumbnail?: Buffer
}

/**
 * What a camera says about a photo, with the place of Berlin's town hall: 52° 31' 7", 13° 24'
 * 30".
 */
export function writeExif({ make, model, orientation, software, taken, note, thumbnail }: Shot) {
  const photo: readonly Entry[] = [
    rationals(0x829a, 0.01),
    ascii(0x9003, taken),
    ...(note ? [undefinedBytes(0x927c, note)] : []),
    ascii(0xa434, `${model} back camera 5.96mm f/1.78`),
  ]
  const place: readonly Entry[] = [
    ascii(1, 'N'),
    rationals(2, 52, 31, 7),
    ascii(3, 'E'),
    rationals(4, 13, 24, 30),
    ascii(29, taken.slice(0, 10)),
  ]
  const main = (photoAt: number, placeAt: number): readonly Entry[] => [
    ascii(0x010f, make),
    ascii(0x0110, model),
    short(0x0112, orientation),
    ascii(0x0131, software),
    ascii(0x0132, taken),
    long(0x8769, photoAt),
    long(0x8825, placeAt),
  ]
  const photoAt = 8 + directory(8, main(0, 0)).length
  const photoBytes = directory(photoAt, photo)
  const placeAt = photoAt + photoBytes.length
  const placeBytes = directory(placeAt, place)
  const smallAt = thumbnail ? placeAt + placeBytes.length : 0
  const small = (at: number) => [
    short(0x0103, 6),
    long(0x0201, at),
    long(0x0202, thumbnail!.length),
  ]
  const smallBytes = thumbnail
    ? directory(smallAt, small(smallAt + directory(smallAt, small(0)).length))
    : Buffer.alloc(0)
  return Buffer.concat([
    Buffer.from('MM\0*\0\0\0\x08', 'latin1'),
    directory(8, main(photoAt, placeAt), smallAt),
    photoBytes,
    placeBytes,
    smallBytes,
    thumbnail ?? Buffer.alloc(0),
  ])
}

export const exifSegment = (shot: Shot): Buffer =>
  segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), writeExif(shot)]))
