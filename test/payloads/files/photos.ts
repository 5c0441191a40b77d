import { readFileSync } from 'node:fs'
import sharp from 'sharp'
import { drawScene } from './draw-scene.ts'
import {
  insertSegments,
  iptcSegment,
  mpfSegment,
  segment,
  writeXmp,
  xmpSegment,
} from './jpeg-segments.ts'
import {
  box,
  compressedText,
  gifExtension,
  insertBlocks,
  insertChunks,
  internationalText,
  PNG_SIGNATURE,
  pngChunk,
  readChunks,
  riffChunk,
} from './other-chunks.ts'
import { exifSegment, writeExif } from './write-exif.ts'

/** A file as a program writes it, with its recipe. */
export interface RealFile {
  /** As the program names it. */
  readonly name: string
  /** The type that its content has. */
  readonly type: string
  /** What people see: width and height, upright. */
  readonly shown?: readonly [width: number, height: number]
  /** What the file says besides: none of it may leave. */
  readonly tells: readonly string[]
  readonly make: () => Promise<Buffer>
}

const TAKEN = '2026:03:01 10:11:12'

/**
 * An iPhone's JPEG ("Most Compatible"): EXIF with Apple's note and a thumbnail, Display P3, an
 * index of two pictures, and the gain map for HDR after the first one's end. 4 MB. Recipe:
 * `exiftool -v3` of such a photo names these parts, https://exiftool.org/TagNames/Apple.html,
 * https://developer.apple.com/documentation/appkit/images_and_pdf/applying_apple_hdr_effect_to_your_photos
 */
async function makeIphonePhoto(width = 4032, height = 3024, grain = 23): Promise<Buffer> {
  const scene = drawScene(width, height, grain)
  const [photo, thumbnail, map] = await Promise.all([
    scene.clone().jpeg({ quality: 88 }).withIccProfile('p3').toBuffer(),
    drawScene(160, 120).jpeg().toBuffer(),
    drawScene(504, 378, 0).grayscale().jpeg().toBuffer(),
  ])
  const gainMap = insertSegments(
    map,
    xmpSegment(
      'xmlns:apdi="http://ns.apple.com/pixeldatainfo/1.0/" apdi:AuxiliaryImageType="urn:com:apple:photo:2020:aux:hdrgainmap"',
    ),
  )
  const note = Buffer.from('Apple iOS\0\0\x01MM\0\x01\0\x2b\0\x02\0\0\0\x25Burst-4711', 'latin1')
  const shot = {
    make: 'Apple',
    model: 'iPhone 15 Pro',
    orientation: 6,
    software: '19.3.1',
    taken: TAKEN,
    note,
    thumbnail,
  }
  const exif = exifSegment(shot)
  const xmp = xmpSegment('xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:CreatorTool="19.3.1"')
  const first = exif.length + xmp.length + photo.length + mpfSegment(0, 0).length
  return Buffer.concat([
    insertSegments(photo, exif, xmp, mpfSegment(first, gainMap.length)),
    gainMap,
  ])
}

/**
 * A Pixel's JPEG with "Motion photo": EXIF, XMP that names the film, and the film after the
 * picture's end. Drawn with fewer pixels. Recipe:
 * https://developer.android.com/media/platform/motion-photo-format
 */
async function makePixelPhoto(): Promise<Buffer> {
  const film = await makeAndroidFilm()
  const photo = await drawScene(2040, 1536, 14).jpeg({ quality: 90 }).toBuffer()
  const shot = {
    make: 'Google',
    model: 'Pixel 8',
    orientation: 1,
    software: 'HDR+ 1.0.585804376zdr',
    taken: TAKEN,
  }
  const motion = xmpSegment(
    `xmlns:GCamera="http://ns.google.com/photos/1.0/camera/" GCamera:MotionPhoto="1" GCamera:MicroVideoOffset="${film.length}"`,
  )
  return Buffer.concat([insertSegments(photo, exifSegment(shot), motion), film])
}

/**
 * A JPEG that WhatsApp made smaller: JFIF, no more than 1,600 pixels, and nothing that the
 * camera said. Recipe: such a file's parts by `exiftool -v3`.
 */
const makeWhatsappPhoto = () => drawScene(1200, 1600, 9).jpeg({ quality: 75 }).toBuffer()

/**
 * A JPEG of a picture agency, saved by Photoshop: IPTC, Adobe's segment, a comment. Recipe:
 * https://www.iptc.org/std/photometadata/specification/
 */
async function makePhotoshopPicture(): Promise<Buffer> {
  const picture = await drawScene(800, 600, 10).jpeg({ quality: 80, progressive: true }).toBuffer()
  return insertSegments(
    picture,
    iptcSegment('Ms Berger before her house'),
    segment(0xec, 'Ducky\0\x01\0\x04\0\0\0\x50\0\0'),
    segment(0xee, 'Adobe\0\x64\0\0\0\0\x01'),
    segment(0xfe, 'File written by Ann Berger'),
  )
}

/**
 * A screenshot of GNOME: sentences in `tEXt`. Recipe: GNOME Shell, js/ui/screenshot.js,
 * https://gitlab.gnome.org/GNOME/gnome-shell
 */
async function makeGnomeScreenshot(): Promise<Buffer> {
  const png = await drawScene(600, 400, 0).png().toBuffer()
  return insertChunks(
    png,
    pngChunk('tEXt', 'Title\0Screenshot of Ms Berger'),
    pngChunk('tEXt', 'Software\0gnome-screenshot'),
    pngChunk('tEXt', 'Creation Time\0Sun 01 Mar 2026 10:11:12'),
    compressedText('Comment', 'In Torstrasse 1, Berlin'),
  )
}

/**
 * A screenshot of macOS: EXIF, XMP, the display's size, and Apple's own chunk. Recipe:
 * `pngcheck -v` of such a file;
 * https://www.hackerfactor.com/blog/index.php?/archives/895-Connecting-the-iDOTs.html
 */
async function makeMacScreenshot(): Promise<Buffer> {
  const png = await drawScene(500, 400, 0).png().withIccProfile('p3').toBuffer()
  const shot = {
    make: 'Apple',
    model: 'MacBook Air',
    orientation: 1,
    software: '26.3',
    taken: TAKEN,
  }
  return insertChunks(
    png,
    pngChunk('eXIf', writeExif(shot)),
    pngChunk('pHYs', Buffer.from([0, 0, 0x16, 0x25, 0, 0, 0x16, 0x25, 1])),
    internationalText(
      'XML:com.adobe.xmp',
      writeXmp('xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:UserComment="Screenshot"'),
    ),
    pngChunk('iDOT', Buffer.alloc(28)),
  )
}

/**
 * A phone's screenshot that moves: an animated PNG. Recipe:
 * https://www.w3.org/TR/png-3/#apng-frame-based-animation
 */
async function makeAnimatedPng(): Promise<Buffer> {
  const [first, second] = await Promise.all(
    [0, 20].map((grain) => drawScene(120, 90, grain).png().toBuffer()),
  )
  const frame = (sequence: number) => {
    const control = Buffer.alloc(26)
    for (const [i, value] of [sequence, 120, 90].entries()) control.writeUInt32BE(value, 4 * i)
    control.writeUInt16BE(1, 20)
    control.writeUInt16BE(2, 22)
    return pngChunk('fcTL', control)
  }
  const [[, header] = ['', Buffer.alloc(0)]] = readChunks(first!)
  const data = (png: Buffer) =>
    Buffer.concat(
      [...readChunks(png)].filter(([type]) => type === 'IDAT').map(([, bytes]) => bytes),
    )
  return Buffer.concat([
    PNG_SIGNATURE,
    pngChunk('IHDR', header),
    pngChunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0])),
    frame(0),
    pngChunk('IDAT', data(first!)),
    frame(1),
    pngChunk('fdAT', Buffer.concat([Buffer.from([0, 0, 0, 2]), data(second!)])),
    pngChunk('tEXt', 'Author\0Ann Berger'),
    pngChunk('IEND', ''),
  ])
}

/**
 * A GIF that moves, as ImageMagick and GIMP write it: a loop, a comment, XMP, and words after
 * the end. Recipe: https://giflib.sourceforge.net/whatsinagif/bits_and_bytes.html
 */
async function makeAnimatedGif(): Promise<Buffer> {
  const frames = await Promise.all(
    [0, 20].map((grain) => drawScene(200, 150, grain).png().toBuffer()),
  )
  const gif = await sharp(frames, { join: { animated: true } })
    .gif({ loop: 0, delay: [200, 200], colours: 32 })
    .toBuffer()
  return Buffer.concat([
    insertBlocks(
      gif,
      gifExtension(0xfe, 'Created with GIMP by Ann Berger'),
      gifExtension(
        0xff,
        'XMP DataXMP',
        writeXmp('xmlns:d="d" d:creator="Ann Berger"').slice(0, 255),
      ),
    ),
    Buffer.from('Torstrasse 1'),
  ])
}

/**
 * WhatsApp's sticker: a WebP whose EXIF names its pack and publisher. Recipe:
 * https://github.com/WhatsApp/stickers, and https://github.com/pedroslopez/whatsapp-web.js,
 * src/util/Util.js (formatToWebpSticker)
 */
async function makeSticker(): Promise<Buffer> {
  const webp = await drawScene(512, 512, 2).webp({ quality: 60 }).toBuffer()
  const json = '{"sticker-pack-id":"4711","sticker-pack-publisher":"Ann Berger"}'
  const head = Buffer.from('II*\0\x08\0\0\0\x01\0AW\x07\0\0\0\0\0\x16\0\0\0', 'latin1')
  head.writeUInt32LE(json.length, 14)
  const size = Buffer.from([0x08, 0, 0, 0, 0xff, 0x01, 0, 0xff, 0x01, 0])
  const chunks = Buffer.concat([
    Buffer.from('WEBP'),
    riffChunk('VP8X', size),
    webp.subarray(12),
    riffChunk('EXIF', Buffer.concat([head, Buffer.from(json)])),
  ])
  return riffChunk('RIFF', chunks)
}

/**
 * An iPhone's HEIC, which no library of this project writes. Recipe: `heif-enc -q 20 --no-alpha
 * scene.png -o iphone.heic` (libheif 1.15.1, x265 3.5), of `drawScene(192, 144)`, then
 * `exiftool -Make=Apple -Model='iPhone 15 Pro' -GPSLatitude=52.5 -GPSLatitudeRef=N iphone.heic`
 * (12.57).
 */
const readIphoneHeic = async () => readFileSync(new URL('iphone.heic', import.meta.url))

/**
 * Android's MP4, with the place in `udta` and a note of the program in `meta`. Its picture is
 * not decoded here. Recipe: MPEG4Writer.cpp, writeUdtaBox and writeMoovLevelMetaBox,
 * https://android.googlesource.com/platform/frameworks/av/+/refs/heads/main/media/libstagefright/MPEG4Writer.cpp
 */
async function makeAndroidFilm(): Promise<Buffer> {
  const header = Buffer.alloc(100)
  header.writeUInt32BE(1000, 12)
  header.writeUInt32BE(1, 96)
  const handler = box('hdlr', Buffer.alloc(8), 'mdta', Buffer.alloc(13))
  const keys = box(
    'keys',
    Buffer.from([0, 0, 0, 0, 0, 0, 0, 1]),
    box('mdta', 'com.android.version'),
  )
  const value = box('data', Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]), 'Pixel 8, Android 16')
  const list = box('ilst', box('\0\0\0\x01', value))
  return Buffer.concat([
    box('ftyp', 'mp42\0\0\0\0isommp42'),
    box(
      'moov',
      box('mvhd', header),
      box('udta', box('\xa9xyz', Buffer.from([0, 18, 0x15, 0xc7]), '+52.5186+013.4083/')),
      box('meta', Buffer.alloc(4), handler, keys, list),
    ),
    box('uuid', 'be7acfcb97a942e8', 'Ann Berger'),
    box('mdat', Buffer.alloc(2_000, 7)),
  ])
}

/** Files of common phones and programs, with the same bytes at each run. */
export const PHOTOS = {
  iphone: {
    name: 'IMG_4711.JPG',
    type: 'image/jpeg',
    shown: [3024, 4032],
    tells: ['Apple', 'iPhone 15 Pro', TAKEN, 'Burst-4711', 'hdrgainmap', 'MPF'],
    make: makeIphonePhoto,
  },
  /** The same with fewer pixels, where the size does not matter. */
  iphoneSmall: {
    name: 'IMG_4712.JPG',
    type: 'image/jpeg',
    shown: [480, 640],
    tells: ['Apple', 'iPhone 15 Pro', TAKEN, 'Burst-4711', 'hdrgainmap', 'MPF'],
    make: () => makeIphonePhoto(640, 480, 10),
  },
  pixel: {
    name: 'PXL_20260301_101112345.MP.jpg',
    type: 'image/jpeg',
    shown: [2040, 1536],
    tells: ['Google', 'Pixel 8', TAKEN, 'MotionPhoto', '+52.5186', 'Ann Berger'],
    make: makePixelPhoto,
  },
  whatsapp: {
    name: 'IMG-20260301-WA0007.jpg',
    type: 'image/jpeg',
    shown: [1200, 1600],
    tells: [],
    make: makeWhatsappPhoto,
  },
  photoshop: {
    name: 'berger final_2.jpeg',
    type: 'image/jpeg',
    shown: [800, 600],
    tells: ['Ms Berger', 'Ann Berger', 'Photoshop', 'Ducky'],
    make: makePhotoshopPicture,
  },
  gnome: {
    name: 'Screenshot From 2026-03-01 10-11-12.png',
    type: 'image/png',
    shown: [600, 400],
    tells: ['Ms Berger', 'gnome-screenshot', '01 Mar 2026', 'zTXt'],
    make: makeGnomeScreenshot,
  },
  mac: {
    name: 'Screenshot 2026-03-01 at 10.11.12.png',
    type: 'image/png',
    shown: [500, 400],
    tells: ['MacBook Air', TAKEN, 'UserComment', 'iDOT'],
    make: makeMacScreenshot,
  },
  animatedPng: {
    name: 'moving.png',
    type: 'image/vnd.mozilla.apng',
    shown: [120, 90],
    tells: ['Ann Berger'],
    make: makeAnimatedPng,
  },
  gif: {
    name: 'giphy.gif',
    type: 'image/gif',
    shown: [200, 150],
    tells: ['Ann Berger', 'GIMP', 'XMP', 'Torstrasse'],
    make: makeAnimatedGif,
  },
  sticker: {
    name: 'STK-20260301-WA0008.webp',
    type: 'image/webp',
    shown: [512, 512],
    tells: ['Ann Berger', 'sticker-pack'],
    make: makeSticker,
  },
  heic: {
    name: 'IMG_4713.HEIC',
    type: 'image/heic',
    tells: ['Apple', 'iPhone 15 Pro'],
    make: readIphoneHeic,
  },
  film: {
    name: 'VID_20260301_101112.mp4',
    type: 'video/mp4',
    tells: ['+52.5186', 'Android 16', 'Ann Berger'],
    make: makeAndroidFilm,
  },
} as const satisfies Readonly<Record<string, RealFile>>
