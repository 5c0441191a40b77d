import { crc32, deflateSync, inflateSync } from 'node:zlib'
import {
  findGifBlocks,
  JPEG,
  readGifBlocks,
  readJpegSegments,
  readPngChunks,
} from './picture-parts.ts'
import { stripFilm } from './strip-film.ts'
import { stripProfile } from './strip-profile.ts'

/**
 * A file with the parts that its decoder needs, and no others: the words, places and devices that programs
 * write beside a picture, what follows its end, and marks of a film. The picture itself keeps its bytes.
 * Undefined if the parts cannot be read; the file itself for a type without such parts.
 *
 * @param type of the content, as `sniffContentType` names it
 */
export function stripFile(bytes: Buffer, type: string): Buffer | undefined {
  const strip = STRIPPERS.find(([types]) => types.test(type))?.[1]
  try {
    return strip ? strip(bytes) : bytes
  } catch {
    // a length or an offset that leads out of the file, or too many parts
    return undefined
  }
}

const STRIPPERS: readonly (readonly [RegExp, (bytes: Buffer) => Buffer | undefined])[] = [
  [/^image\/jpeg$/, stripJpeg],
  [/^image\/(?:png|vnd\.mozilla\.apng)$/, stripPng],
  [/^image\/gif$/, stripGif],
  [/^(?:video|audio)\/(?:mp4|3gpp2?|x-m4[av])$/, stripFilm],
]

const JFIF = 'JFIF\0'
const ADOBE = 'Adobe'
const PROFILE = 'ICC_PROFILE\0'
/** Frames, tables of codes and quanta, restarts, lines, scans: T.81, table B.1. */
const isNeeded = (marker: number) =>
  (marker >= 0xc0 && marker <= 0xcf) || (marker >= 0xda && marker <= 0xdd)

function stripJpeg(bytes: Buffer): Buffer | undefined {
  const kept: Buffer[] = []
  const profile: Buffer[] = []
  let hasScan = false
  for (const { marker, start, from, to, end } of readJpegSegments(bytes)) {
    const content = bytes.subarray(from, to)
    const begins = (name: string) => content.indexOf(name, 0, 'latin1') === 0
    if (isNeeded(marker)) kept.push(bytes.subarray(start, end))
    // without its small picture
    else if (marker === JPEG.APP0 && begins(JFIF) && content.length >= 14)
      kept.push(writeSegment(marker, Buffer.concat([content.subarray(0, 12), Buffer.alloc(2)])))
    else if (marker === JPEG.APP14 && begins(ADOBE))
      kept.push(writeSegment(marker, content.subarray(0, 12)))
    else if (marker === JPEG.APP2 && begins(PROFILE))
      profile.push(content.subarray(PROFILE.length + 2))
    hasScan ||= marker === JPEG.SOS
  }
  if (!hasScan) return undefined
  const first = kept[0]?.[1] === JPEG.APP0 ? 1 : 0
  kept.splice(first, 0, ...writeJpegProfile(stripProfile(Buffer.concat(profile))))
  return Buffer.concat([bytes.subarray(0, 2), ...kept, Buffer.from([0xff, JPEG.EOI])])
}

/** Bytes of a profile in one segment: ICC.1, annex B.4. */
const MAX_SEGMENT = 65_519

function writeJpegProfile(profile: Buffer | undefined): Buffer[] {
  const segments: Buffer[] = []
  const count = Math.ceil((profile?.length ?? 0) / MAX_SEGMENT)
  for (let i = 0; i < count; i++) {
    const part = profile!.subarray(i * MAX_SEGMENT, (i + 1) * MAX_SEGMENT)
    const head = Buffer.from(`${PROFILE}${String.fromCharCode(i + 1, count)}`, 'latin1')
    segments.push(writeSegment(JPEG.APP2, Buffer.concat([head, part])))
  }
  return segments
}

function writeSegment(marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(content.length + 2, 2)
  return Buffer.concat([head, content])
}

/** The picture, its colours and its frames: PNG 3, 5.6. */
const PNG_CHUNKS: ReadonlySet<string> = new Set([
  ...[
    'IHDR',
    'PLTE',
    'IDAT',
    'IEND',
    'tRNS',
    'gAMA',
    'cHRM',
    'sRGB',
    'cICP',
    'mDCV',
    'cLLI',
    'sBIT',
  ],
  ...['acTL', 'fcTL', 'fdAT'],
])

function stripPng(bytes: Buffer): Buffer | undefined {
  const kept = [bytes.subarray(0, 8)]
  for (const { type, content, start, end } of readPngChunks(bytes)) {
    if (PNG_CHUNKS.has(type)) kept.push(bytes.subarray(start, end))
    if (type === 'iCCP') kept.push(writePngProfile(content))
    if (type === 'IEND') return Buffer.concat(kept)
  }
  return undefined
}

const MAX_PROFILE_BYTES = 4 << 20

/** A profile without its name, which programs choose. */
function writePngProfile(content: Buffer): Buffer {
  const profile = stripProfile(
    inflateSync(content.subarray(content.indexOf(0) + 2), { maxOutputLength: MAX_PROFILE_BYTES }),
  )
  if (!profile) return Buffer.alloc(0)
  const data = Buffer.concat([Buffer.from('iCCPicc\0\0'), deflateSync(profile)])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length - 4, 0)
  frame.writeUInt32BE(crc32(data), 4)
  return Buffer.concat([frame.subarray(0, 4), data, frame.subarray(4)])
}

const GIF = { FRAME: 0, CONTROL: 0xf9, APPLICATION: 0xff } as const
/** The number of repetitions, in the form of Netscape and of an older program. */
const LOOP = /^\x0b(?:NETSCAPE2\.0|ANIMEXTS1\.0)\x03\x01..\0/s

function stripGif(bytes: Buffer): Buffer | undefined {
  const kept = [bytes.subarray(0, findGifBlocks(bytes))]
  let control: Buffer | undefined
  let hasFrame = false
  for (const { label, start, from, end } of readGifBlocks(bytes)) {
    const block = bytes.subarray(start, end)
    if (label === GIF.APPLICATION) {
      const [loop] = LOOP.exec(bytes.toString('latin1', from, from + 20)) ?? []
      if (loop) kept.push(bytes.subarray(start, from + loop.length))
    } else if (label === GIF.CONTROL && block[2] === 4) {
      // it belongs to the next frame, or to words that no program shows
      control = Buffer.concat([block.subarray(0, 7), Buffer.alloc(1)])
    } else if (label === GIF.FRAME) {
      kept.push(...(control ? [control] : []), block)
      control = undefined
      hasFrame = true
    } else if (label === 0x01) control = undefined
  }
  return hasFrame ? Buffer.concat([...kept, Buffer.from([0x3b])]) : undefined
}
