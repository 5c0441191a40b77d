import { readMachineMemory } from '../../platform/tools/machine-memory.ts'
import {
  PictureTooLarge,
  readGifBlocks,
  readJpegSegments,
  readPngChunks,
  readWebpChunks,
} from './picture-parts.ts'

/** Maximum pixels to decode, because a small file can claim any size. */
export const MAX_DOTS = 64_000_000
/** Bytes that a pixel may take of a picture that is decoded as a whole. Others take 60 MB at most. */
const WHOLE_DOT_BYTES = 11.5

/** Bytes that a busy server and its Postgres take with 256 MB. */
const BUSY_BYTES = 200 << 20
/** Fewest and most pixels of a picture that is decoded as a whole, on any machine. */
const [FEWEST, MOST] = [1_000_000, 24_000_000]

/** Maximum pixels of a picture that is decoded as a whole: it may take half of the memory that is left. */
export function limitWholeDots(memoryBytes: number): number {
  const dots = Math.floor((memoryBytes - BUSY_BYTES) / 2 / WHOLE_DOT_BYTES)
  return Math.min(MOST, Math.max(FEWEST, dots))
}

const MAX_WHOLE_DOTS = limitWholeDots(readMachineMemory())
/** Maximum bytes of a PNG's pixels: 16 bits of four colours take four times as long as 8 bits of two. */
const MAX_PNG_BYTES = 256_000_000
/**
 * Maximum pixels of all scans of a JPEG, each colour by itself. Cameras and programs write up to 14 such
 * scans of a picture; a file of 60 kB may have thousands, and each takes 5 ms for 24 million pixels.
 */
const MAX_SCANNED_DOTS = 700_000_000
/**
 * Maximum frames of a GIF or WebP. Only the first is decoded, but each takes memory, and the decoder of WebP
 * finds each by walking from the start of the file: 60,000 of them take 6 s.
 */
const MAX_FRAMES = 5_000

/**
 * Throws PictureTooLarge for a picture that would take more than about a second of a core, or 300 MB. Reads
 * only the parts' heads; whether the picture is valid is left to the decoder.
 */
export function checkPictureWork(picture: Buffer): void {
  if (picture.length < 32) return
  const isTooLarge = FORMATS.find(([signature]) => picture.indexOf(signature, 0, 'latin1') === 0)
  if (isTooLarge?.[1](picture)) throw new PictureTooLarge()
}

const isTooLargeJpeg = (picture: Buffer): boolean => {
  let [dots, colours, scanned, isWhole] = [0, 0, 0, false]
  for (const { marker, from, to } of readJpegSegments(picture)) {
    if (isFrameHeader(marker) && to - from >= 6) {
      // phones show baseline and progressive JPEGs; arithmetic and lossless codes take many times as long
      if (marker > SOF2) return true
      dots = Math.max(dots, picture.readUInt16BE(from + 1) * picture.readUInt16BE(from + 3))
      colours = picture[from + 5]!
      isWhole = marker === SOF2
    }
    if (marker !== SOS) continue
    const coloursOfScan = picture[from] ?? 0
    scanned += dots * coloursOfScan
    // colours in scans of their own are joined when all are there
    isWhole ||= coloursOfScan < colours
    if (scanned > MAX_SCANNED_DOTS) return true
  }
  return dots > (isWhole ? MAX_WHOLE_DOTS : MAX_DOTS)
}

const SOS = 0xda
const SOF2 = 0xc2
/** All SOFn, but neither DHT, JPG nor DAC, which lie between them. */
const isFrameHeader = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Channels by PNG's type of colour. */
const CHANNELS: Readonly<Record<number, number>> = { 2: 3, 4: 2, 6: 4 }

const isTooLargePng = (picture: Buffer): boolean => {
  const dots = picture.readUInt32BE(16) * picture.readUInt32BE(20)
  const [depth = 8, colour = 6, , , interlaced = 0] = picture.subarray(24)
  const bytes = dots * (CHANNELS[colour] ?? 1) * (depth / 8)
  return dots > (interlaced ? MAX_WHOLE_DOTS : MAX_DOTS) || bytes > MAX_PNG_BYTES
}

const isTooLargeGif = (picture: Buffer): boolean => {
  let [width, height, frames] = [picture.readUInt16LE(6), picture.readUInt16LE(8), 0]
  for (const { label, start } of readGifBlocks(picture)) {
    if (label !== 0) continue
    const [left, top, wide, high] = [1, 3, 5, 7].map((at) => picture.readUInt16LE(start + at))
    width = Math.max(width, left! + wide!)
    height = Math.max(height, top! + high!)
    if (++frames > MAX_FRAMES) return true
  }
  return width * height > MAX_WHOLE_DOTS
}

/** The width and height of a WebP, which has at most 16,384 of each: RFC 9649, 2.4 to 2.7. */
const isTooLargeWebp = (picture: Buffer): boolean => {
  const kind = picture.toString('latin1', 12, 16)
  const [width, height] = (WEBP_SIZES[kind] ?? (() => [0, 0]))(picture)
  if (width! * height! > MAX_DOTS) return true
  let frames = 0
  for (const { type } of readWebpChunks(picture))
    if (type === 'ANMF' && ++frames > MAX_FRAMES) return true
  return false
}

const WEBP_SIZES: Readonly<Record<string, (picture: Buffer) => readonly [number, number]>> = {
  'VP8 ': (picture) => [picture.readUInt16LE(26) & 0x3fff, picture.readUInt16LE(28) & 0x3fff],
  VP8L: (picture) => {
    const bits = picture.readUInt32LE(21)
    return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1]
  },
  VP8X: (picture) => [picture.readUIntLE(24, 3) + 1, picture.readUIntLE(27, 3) + 1],
}

const PNG = '\x89PNG\r\n\x1a\n'

const FORMATS: readonly (readonly [signature: string, isTooLarge: (picture: Buffer) => boolean])[] =
  [
    ['\xff\xd8', isTooLargeJpeg],
    [PNG, isTooLargePng],
    ['GIF8', isTooLargeGif],
    ['RIFF', isTooLargeWebp],
  ]

/** The words of a PNG. Decoders unpack them first: 150 kB may become a gigabyte. */
const WORDS: ReadonlySet<string> = new Set(['tEXt', 'zTXt', 'iTXt'])

/** A picture without words that a decoder would unpack and drop; most are returned as they are. */
export function dropPackedWords(picture: Buffer): Buffer {
  if (picture.indexOf(PNG, 0, 'latin1') !== 0) return picture
  const kept: Buffer[] = []
  let from = 0
  for (const { type, start, end } of readPngChunks(picture)) {
    if (!WORDS.has(type)) continue
    kept.push(picture.subarray(from, start))
    from = end
  }
  return from === 0 ? picture : Buffer.concat([...kept, picture.subarray(from)])
}
