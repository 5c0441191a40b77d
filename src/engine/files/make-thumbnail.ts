import { checkPictureWork, dropPackedWords, MAX_DOTS } from './picture-work.ts'
import { hasProgram } from './strip-profile.ts'
import { makeMemoryContent } from './upload.ts'

/** `100x200` with an optional cut (`t`op, `b`ottom, `f`it): PocketBase's ThumbSizeRegex. */
const SIZE = /^(\d+)x(\d+)([tbf]?)$/

/** Maximum pixels of a result: `0x100` of a picture of 20,000 x 1 would be 2,000,000 wide and take 2 GB. */
const MAX_MADE_DOTS = 16_000_000
const TIMEOUT_SECONDS = 20
const JPEG_QUALITY = 95

export async function loadSharp() {
  const { default: sharp } = await import('sharp')
  // one thread and no cache: other requests need the cores and the memory
  sharp.concurrency(1)
  sharp.cache(false)
  return sharp
}

interface Box {
  readonly width: number
  readonly height: number
}

interface Wanted extends Box {
  readonly cut: string
}

function readSize(size: string): Wanted {
  const [, width, height, cut = ''] = SIZE.exec(size) ?? []
  const wanted = { width: Number(width), height: Number(height), cut }
  if (!(wanted.width > 0 || wanted.height > 0))
    throw new RangeError(`no size of a thumbnail: ${size}`)
  return wanted
}

/** The size of a thumbnail, computed as in github.com/disintegration/imaging, tools.go. */
function fitIntoBox({ width, height, cut }: Wanted, from: Box): Box {
  const ratio = from.width / from.height
  if (height === 0) return { width, height: Math.max(1, Math.floor(width / ratio + 0.5)) }
  if (width === 0) return { width: Math.max(1, Math.floor(height * ratio + 0.5)), height }
  if (cut !== 'f') return { width, height }
  if (from.width <= width && from.height <= height) return from
  return ratio > width / height
    ? { width, height: Math.max(1, Math.floor(width / ratio)) }
    : { width: Math.max(1, Math.floor(height * ratio)), height }
}

const GRAVITY: Readonly<Record<string, string>> = { t: 'top', b: 'bottom' }

/** Whether a picture can be opened and is small enough for a thumbnail. Decodes nothing. */
export const isDecodable = (picture: Buffer): Promise<boolean> =>
  openUpright(picture).then(
    () => true,
    () => false,
  )

/**
 * Opens a picture, to be decoded upright. Throws for one that is invalid, and PictureTooLarge for one that
 * takes too much memory or time.
 */
export async function openUpright(picture: Buffer) {
  checkPictureWork(picture)
  const sharp = await loadSharp()
  const known = dropPackedWords(picture)
  const limits = { limitInputPixels: MAX_DOTS }
  const metadata = await sharp(known, limits).metadata()
  const ignoreIcc = metadata.icc !== undefined && hasProgram(metadata.icc)
  const upright = sharp(known, { ...limits, ignoreIcc }).rotate()
  return { upright: upright.timeout({ seconds: TIMEOUT_SECONDS }), metadata }
}

/** Whether decoding was ended by its time, as on a machine that is busy. */
export const isTimeout = (error: Error): boolean => error.message.startsWith('timeout')

/** Whether a picture is stored lying or mirrored, and says so in its EXIF. Throws for invalid pictures. */
export async function isTurned(picture: Buffer): Promise<boolean> {
  const { metadata } = await openUpright(picture)
  return (metadata.orientation ?? 1) > 1
}

/** Makes a small upright copy. Throws for invalid pictures. PocketBase: tools/filesystem, CreateThumb */
export async function makeThumbnail(picture: Buffer, type: string, size: string) {
  const wanted = readSize(size)
  const { upright, metadata } = await openUpright(picture)
  const { width, height, orientation = 1 } = metadata
  const from = orientation > 4 ? { width: height, height: width } : { width, height }
  const box = fitIntoBox(wanted, from)
  if (box.width * box.height > MAX_MADE_DOTS)
    throw new RangeError('the thumbnail would be too large')
  const isCut = wanted.width > 0 && wanted.height > 0 && wanted.cut !== 'f'
  const resized = upright.resize({
    ...box,
    fit: isCut ? 'cover' : 'fill',
    position: GRAVITY[wanted.cut] ?? 'centre',
    kernel: 'linear',
  })
  const format = FORMATS[type] ?? 'png'
  const bytes = await resized
    .toFormat(format, format === 'jpeg' ? { quality: JPEG_QUALITY } : {})
    .toBuffer()
  return { type: `image/${format}`, content: makeMemoryContent(bytes) }
}

const FORMATS: Readonly<Record<string, 'jpeg' | 'gif'>> = {
  'image/jpeg': 'jpeg',
  'image/gif': 'gif',
}
