// Pictures by their parts: segments of a JPEG, chunks of a PNG or WebP, blocks of a GIF. Nothing is decoded.

/** A picture that takes too much memory or time to read or decode. */
export class PictureTooLarge extends RangeError {
  override name = 'PictureTooLarge'

  constructor() {
    super('the picture is too large')
  }
}

/**
 * Maximum parts of a file. Cameras and programs write some thousand; 20 MiB of empty parts take seconds to
 * read.
 */
export const MAX_FILE_PARTS = 100_000

/** Yields the parts of a file. Throws PictureTooLarge after MAX_FILE_PARTS of them. */
function* boundParts<T>(parts: Iterable<T>): Generator<T> {
  let left = MAX_FILE_PARTS
  for (const part of parts) {
    if (left-- === 0) throw new PictureTooLarge()
    yield part
  }
}

/** A part with its frame, from `start` to before `end`. */
export interface FilePart {
  readonly start: number
  readonly end: number
}

/** `marker` as in T.81, table B.1. A scan ends where its compressed data ends. */
export interface JpegSegment extends FilePart {
  readonly marker: number
  readonly from: number
  /** Where the content ends; the data of a scan follows. */
  readonly to: number
}

export const JPEG = { SOS: 0xda, EOI: 0xd9, APP0: 0xe0, APP2: 0xe2, APP14: 0xee } as const
const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7

/** The segments of a JPEG, up to its end marker or the last whole one. ITU-T T.81, annex B */
export const readJpegSegments = (bytes: Buffer): Generator<JpegSegment> =>
  boundParts(walkJpegSegments(bytes))

function* walkJpegSegments(bytes: Buffer): Generator<JpegSegment> {
  let at = 2
  while (at >= 2 && at + 4 <= bytes.length) {
    const marker = bytes[at + 1]!
    // fill bytes, and what decoders skip between segments
    if (bytes[at] !== 0xff || marker === 0xff || marker === 0) at = findMarker(bytes, at + 1)
    else if (marker === JPEG.EOI) return
    else if (isRestart(marker) || marker === 0x01 || marker === 0xd8) at += 2
    else {
      const to = at + 2 + bytes.readUInt16BE(at + 2)
      if (to > bytes.length) return
      const end = marker === JPEG.SOS ? findScanEnd(bytes, to) : to
      yield { marker, start: at, from: at + 4, to, end }
      at = end
    }
  }
}

/**
 * The position of the next 0xff, and of a run of fill bytes the last one.
 * By a loop: `indexOf` takes 100 ns, and each byte may be a marker.
 */
function findMarker(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at++) {
    if (bytes[at] === 0xff && bytes[at + 1] !== 0xff) return at
  }
  return -1
}

function findScanEnd(bytes: Buffer, from: number): number {
  for (let at = findMarker(bytes, from); at >= 0; at = findMarker(bytes, at + 1)) {
    const next = bytes[at + 1] ?? 0
    if (next !== 0 && next !== 0xff && !isRestart(next)) return at
  }
  return bytes.length
}

export interface PngChunk extends FilePart {
  readonly type: string
  readonly content: Buffer
}

/** The chunks of a PNG, IEND the last. Stops before one that is not whole. PNG 3, 5.3 */
export const readPngChunks = (bytes: Buffer): Generator<PngChunk> =>
  boundParts(walkPngChunks(bytes))

function* walkPngChunks(bytes: Buffer): Generator<PngChunk> {
  for (let start = 8; start + 12 <= bytes.length; ) {
    const end = start + 12 + bytes.readUInt32BE(start)
    if (end > bytes.length) return
    const type = bytes.toString('latin1', start + 4, start + 8)
    yield { type, content: bytes.subarray(start + 8, end - 4), start, end }
    if (type === 'IEND') return
    start = end
  }
}

/** `label`: 0 of a frame, else that of an extension. `from`: where its blocks begin. */
export interface GifBlock extends FilePart {
  readonly label: number
  readonly from: number
}

const GIF_FRAME = 0x2c
const GIF_EXTENSION = 0x21

/** Where the first block of a GIF begins, behind its colours. GIF 89a, 18 and 19 */
export const findGifBlocks = (bytes: Buffer): number => 13 + countColourBytes(bytes[10] ?? 0)

const countColourBytes = (packed: number) => (packed & 0x80 ? 3 << ((packed & 7) + 1) : 0)

/** The blocks of a GIF up to its trailer or the last whole one. */
export const readGifBlocks = (bytes: Buffer): Generator<GifBlock> =>
  boundParts(walkGifBlocks(bytes))

function* walkGifBlocks(bytes: Buffer): Generator<GifBlock> {
  for (let start = findGifBlocks(bytes); start + 2 <= bytes.length; ) {
    const isFrame = bytes[start] === GIF_FRAME
    if (!isFrame && bytes[start] !== GIF_EXTENSION) return
    // a frame has ten bytes, its colours and the size of its codes
    const from = isFrame ? start + 11 + countColourBytes(bytes[start + 9] ?? 0) : start + 2
    let end = from
    for (let size = bytes[end]; size !== 0; size = bytes[end]) {
      if (size === undefined) return
      end += size + 1
    }
    end++
    yield { label: isFrame ? 0 : bytes[start + 1]!, start, from, end }
    start = end
  }
}

export interface WebpChunk extends FilePart {
  readonly type: string
}

/** The chunks of a WebP. Those of a frame lie in the frame's. RFC 9649, 2.3 */
export const readWebpChunks = (bytes: Buffer): Generator<WebpChunk> =>
  boundParts(walkWebpChunks(bytes))

function* walkWebpChunks(bytes: Buffer): Generator<WebpChunk> {
  for (let start = 12; start + 8 <= bytes.length; ) {
    const length = bytes.readUInt32LE(start + 4)
    const end = start + 8 + length + (length % 2)
    yield { type: bytes.toString('latin1', start, start + 4), start, end }
    start = end
  }
}
