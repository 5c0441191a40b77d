import { loadSharp, MAX_DOTS } from './make-thumbnail.ts'

/** Longest sides of smaller copies, in pixels. */
const SIDES = [1600, 1280, 1024, 800, 640, 480, 320, 160]
const QUALITY = 80

/**
 * Makes a JPEG of at most `maxBytes` of a picture, upright, on white where it is transparent, as large as
 * fits and at most 1,600 pixels wide or high. Undefined if none is small enough. Throws for invalid pictures.
 */
export async function shrinkPicture(
  picture: Buffer,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const sharp = await loadSharp()
  const [longest] = SIDES
  // decode once: the copies are made of this one
  const { data, info } = await sharp(picture, { limitInputPixels: MAX_DOTS })
    .rotate()
    .resize({ width: longest!, height: longest!, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#fff' })
    .raw()
    .toBuffer({ resolveWithObject: true })
  for (const side of SIDES) {
    const jpeg = await sharp(data, { raw: info })
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
      .jpeg({ quality: QUALITY })
      .toBuffer()
    if (jpeg.length <= maxBytes) return jpeg
  }
  return undefined
}
