import { all, atLeast, begins, type ContentKind, has, uint32 } from './kind.ts'

/** Sizes of the headers that follow a bitmap's own. */
const BITMAP_HEADERS = new Set([48, 24, 16, 64, 52, 56, 40, 124, 108])
const isBitmap = (head: string) =>
  head.length >= 18 && head.startsWith('BM') && BITMAP_HEADERS.has(uint32(head, 14))

const jpeg2000 = (brand: string) => all(atLeast(24), has(4, 'jP  ', 'jP2 '), has(20, brand))

const DRAWINGS = /^AC(1\.40|1\.50|2\.10|100[23469]|1012|1014|1015|1018|1021|1024|1032)/

const apng: ContentKind = { type: 'image/vnd.mozilla.apng', extension: '.png', test: has(37, 'acTL') }

/** Kinds of pictures, by their type. PocketBase: mimetype's internal/magic/image.go */
export const IMAGES = {
  xpm: { type: 'image/x-xpixmap', extension: '.xpm', test: begins('/* XPM */') },
  psd: {
    type: 'image/vnd.adobe.photoshop',
    extension: '.psd',
    test: begins('8BPS'),
    aliases: ['image/x-psd', 'application/photoshop'],
  },
  png: { type: 'image/png', extension: '.png', test: begins('\x89PNG\r\n\x1a\n'), kinds: [apng] },
  jpg: { type: 'image/jpeg', extension: '.jpg', test: begins('\xff\xd8\xff') },
  jxl: { type: 'image/jxl', extension: '.jxl', test: begins('\xff\x0a', '\0\0\0\x0cJXL \r\n\x87\n') },
  jp2: { type: 'image/jp2', extension: '.jp2', test: jpeg2000('jp2 ') },
  jpx: { type: 'image/jpx', extension: '.jpf', test: jpeg2000('jpx ') },
  jpm: { type: 'image/jpm', extension: '.jpm', test: jpeg2000('jpm '), aliases: ['video/jpm'] },
  jxs: { type: 'image/jxs', extension: '.jxs', test: begins('\0\0\0\x0cJXS \r\n\x87\n') },
  gif: { type: 'image/gif', extension: '.gif', test: begins('GIF87a', 'GIF89a') },
  webp: {
    type: 'image/webp',
    extension: '.webp',
    test: all(atLeast(13), begins('RIFF'), has(8, 'WEBP')),
  },
  tiff: { type: 'image/tiff', extension: '.tiff', test: begins('II*\0', 'MM\0*') },
  bmp: {
    type: 'image/bmp',
    extension: '.bmp',
    test: isBitmap,
    aliases: ['image/x-bmp', 'image/x-ms-bmp'],
  },
  ico: { type: 'image/x-icon', extension: '.ico', test: begins('\0\0\x01\0', '\0\0\x02\0') },
  djvu: {
    type: 'image/vnd.djvu',
    extension: '.djvu',
    test: all(begins('AT&TFORM'), has(12, 'DJVM', 'DJVU', 'DJVI', 'THUM')),
  },
  bpg: { type: 'image/bpg', extension: '.bpg', test: begins('BPG\xfb') },
  dwg: {
    type: 'image/vnd.dwg',
    extension: '.dwg',
    test: (head: string) => DRAWINGS.test(head),
    aliases: [
      'image/x-dwg',
      'application/acad',
      'application/x-acad',
      'application/autocad_dwg',
      'application/dwg',
      'application/x-dwg',
      'application/x-autocad',
      'drawing/dwg',
    ],
  },
  icns: { type: 'image/x-icns', extension: '.icns', test: begins('icns') },
  hdr: { type: 'image/vnd.radiance', extension: '.hdr', test: begins('#?RADIANCE\n') },
  xcf: { type: 'image/x-xcf', extension: '.xcf', test: begins('gimp xcf') },
  pat: { type: 'image/x-gimp-pat', extension: '.pat', test: has(20, 'GPAT') },
  gbr: { type: 'image/x-gimp-gbr', extension: '.gbr', test: has(20, 'GIMP') },
  jxr: {
    type: 'image/jxr',
    extension: '.jxr',
    test: begins('II\xbc\x01'),
    aliases: ['image/vnd.ms-photo'],
  },
  dxf: {
    type: 'image/vnd.dxf',
    extension: '.dxf',
    test: (head: string) => /^( {2})?0(\n|\r\n)SECTION\2/.test(head),
  },
} as const satisfies Record<string, ContentKind>
