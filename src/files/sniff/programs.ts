import { all, atLeast, begins, type ContentKind, has, uint32 } from './kind.ts'

const elf = (type: string, extension: string, code: string): ContentKind => ({
  type,
  extension,
  test: has(16, `${code}\0`, `\0${code}`),
})

/**
 * Java classes and fat Mach-O binaries begin alike: what comes last of the first eight bytes tells them
 * apart.
 */
const isCafe = (head: string) => head.length >= 8 && head.startsWith('\xca\xfe\xba\xbe')
const isClass = (head: string) => isCafe(head) && head.charCodeAt(7) > 30
const isMachO = (head: string) =>
  (isCafe(head) && head.charCodeAt(7) < 0x14) || /^(\xfe\xed\xfa[\xce\xcf]|[\xce\xcf]\xfa\xed\xfe)/.test(head)

const DBF_TYPES = '\x02\x03\x04\x05\x30\x31\x32\x42\x62\x7b\x82\x83\x87\x8a\x8b\x8e\xb3\xcb\xe5\xf5\xf4\xfb'
function isDbf(head: string): boolean {
  const [month, day] = [head.charCodeAt(2), head.charCodeAt(3)]
  if (head.length < 68 || month < 1 || month > 12 || day < 1 || day > 31) return false
  if (!head.startsWith('\0\0', 12) || !head.startsWith('\0\0', 30) || head.charCodeAt(28) > 1) return false
  return DBF_TYPES.includes(head[0]!)
}

const SHAPES = new Set([0, 1, 3, 5, 8, 11, 13, 15, 18, 21, 23, 25, 28, 31])
const isShape = (head: string) =>
  head.length >= 112 &&
  head.startsWith(`\0\0\x27\x0a${'\0'.repeat(20)}`) &&
  uint32(head, 28) === 1000 &&
  SHAPES.has(uint32(head, 108))

const isMarc = (head: string) => /^\d{5}.{15}4500/s.test(head) && head.slice(0, 2048).includes('\x1e')
const isTimeZone = (head: string) =>
  head.length >= 44 && /^TZif[\0\x32\x33]/.test(head) && uint32(head, 36) !== 0

/**
 * Kinds of programs and of other programs' data. PocketBase: mimetype's internal/magic/binary.go,
 * database.go, geo.go
 */
export const PROGRAMS = {
  exe: {
    type: 'application/vnd.microsoft.portable-executable',
    extension: '.exe',
    test: begins('MZ'),
  },
  elf: {
    type: 'application/x-elf',
    extension: '',
    test: begins('\x7fELF'),
    kinds: [
      elf('application/x-object', '', '\x01'),
      elf('application/x-executable', '', '\x02'),
      elf('application/x-sharedlib', '.so', '\x03'),
      elf('application/x-coredump', '', '\x04'),
    ],
  },
  class: { type: 'application/x-java-applet', extension: '.class', test: isClass },
  swf: {
    type: 'application/x-shockwave-flash',
    extension: '.swf',
    test: begins('CWS', 'FWS', 'ZWS'),
  },
  wasm: { type: 'application/wasm', extension: '.wasm', test: begins('\0asm') },
  shx: {
    type: 'application/vnd.shx',
    extension: '.shx',
    test: begins('\0\0\x27\x0a'),
    kinds: [{ type: 'application/vnd.shp', extension: '.shp', test: isShape }],
  },
  dbf: { type: 'application/x-dbf', extension: '.dbf', test: isDbf },
  dcm: { type: 'application/dicom', extension: '.dcm', test: has(128, 'DICM') },
  cbor: { type: 'application/cbor', extension: '.cbor', test: begins('\xd9\xd9\xf7') },
  sqlite3: {
    type: 'application/vnd.sqlite3',
    extension: '.sqlite',
    test: begins('SQLite format 3\0'),
    aliases: ['application/x-sqlite3'],
  },
  nes: { type: 'application/vnd.nintendo.snes.rom', extension: '.nes', test: begins('NES\x1a') },
  lnk: {
    type: 'application/x-ms-shortcut',
    extension: '.lnk',
    test: begins('L\0\0\0\x01\x14\x02\0'),
  },
  macho: { type: 'application/x-mach-binary', extension: '.macho', test: isMachO },
  mrc: { type: 'application/marc', extension: '.mrc', test: isMarc },
  mdb: { type: 'application/x-msaccess', extension: '.mdb', test: has(4, 'Standard Jet DB') },
  accdb: { type: 'application/x-msaccess', extension: '.accdb', test: has(4, 'Standard ACE DB') },
  torrent: { type: 'application/x-bittorrent', extension: '.torrent', test: begins('d8:announce') },
  tzif: { type: 'application/tzif', extension: '', test: isTimeZone },
  glb: {
    type: 'model/gltf-binary',
    extension: '.glb',
    test: begins('glTF\x02\0\0\0', 'glTF\x01\0\0\0'),
  },
  parquet: {
    type: 'application/vnd.apache.parquet',
    extension: '.parquet',
    test: begins('PAR1'),
    aliases: ['application/x-parquet'],
  },
  grib: {
    type: 'application/grib',
    extension: '.grb',
    test: all(begins('GRIB'), has(7, '\x01', '\x02')),
  },
  bufr: {
    type: 'application/bufr',
    extension: '.bufr',
    test: all(begins('BUFR'), has(7, '\x03', '\x04')),
  },
  ttc: {
    type: 'font/collection',
    extension: '.ttc',
    test: all(atLeast(8), begins('ttcf\0\x01\0\0', 'ttcf\0\x02\0\0')),
  },
  woff: { type: 'font/woff', extension: '.woff', test: begins('wOFF') },
  woff2: { type: 'font/woff2', extension: '.woff2', test: begins('wOF2') },
  otf: {
    type: 'font/otf',
    extension: '.otf',
    test: (head: string) =>
      head.length > 48 && head.startsWith('OTTO\0') && head.slice(12, 48).includes('CFF '),
  },
  ttf: {
    type: 'font/ttf',
    extension: '.ttf',
    test: (head: string) =>
      head.startsWith('\0\x01\0\0') && head.length >= 16 && tables(head) < 49 && isFontTable(head),
    aliases: ['font/sfnt', 'application/x-font-ttf', 'application/font-sfnt'],
  },
  eot: {
    type: 'application/vnd.ms-fontobject',
    extension: '.eot',
    test: all(has(34, 'LP'), has(8, '\x02\0\x01', '\x01\0\0', '\x02\0\x02')),
  },
} as const satisfies Record<string, ContentKind>

function tables(head: string): number {
  return (head.charCodeAt(4) << 8) | head.charCodeAt(5)
}

const FONT_TABLES = new Set(
  (
    'acnt ankr avar bdat bhed bloc bsln cmap cvar cvt_ EBSC fdsc feat fmtx fond fpgm fvar gasp gcid glyf gvar ' +
    'hdmx head hhea hmtx hvgl hvpm just kern kerx lcar loca ltag maxp meta mort morx name opbd OS/2'
  ).split(' '),
)
function isFontTable(head: string): boolean {
  return FONT_TABLES.has(head.slice(12, 16).replace(' ', '_'))
}
