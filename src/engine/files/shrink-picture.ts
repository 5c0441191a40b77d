import { loadSharp, openUpright } from './make-thumbnail.ts'

/** Longest side of a smaller copy, and the shortest that is tried, in pixels. */
const [LONGEST, SHORTEST] = [1600, 100]
const QUALITY = 80

/**
 * Makes a JPEG of at most `maxBytes` of a picture: upright, on white where it is transparent, nearly as large
 * as fits and at most 1,600 pixels wide or high. Undefined if none is small enough. Throws for invalid
 * pictures. Takes up to a second of CPU: callers use a turn of `admission.pictures`.
 */
export async function shrinkPicture(
  picture: Buffer,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const sharp = await loadSharp()
  // decode once: the copies are made of this one
  const { upright } = await openUpright(picture)
  const { data, info } = await upright
    .resize({ width: LONGEST, height: LONGEST, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#fff' })
    .raw()
    .toBuffer({ resolveWithObject: true })
  let side = Math.max(info.width, info.height)
  while (side >= Math.min(SHORTEST, info.width, info.height)) {
    const jpeg = await sharp(data, { raw: info })
      .resize({ width: side, height: side, fit: 'inside' })
      .jpeg({ quality: QUALITY })
      .toBuffer()
    if (jpeg.length <= maxBytes) return jpeg
    // the bytes grow with the pixels: most pictures fit at the second try
    side = Math.floor(side * Math.min(0.9, 0.97 * Math.sqrt(maxBytes / jpeg.length)))
  }
  return undefined
}
