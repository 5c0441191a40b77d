import { all, begins, type ContentKind, has, type Test, uint16, uint32 } from './kind.ts'
import { isText } from './text-test.ts'
import { ZIPS } from './zip.ts'

const isZip = (head: string) => /^PK[\x03\x05\x07][\x04\x06\x08]/.test(head)

const TAR_HEADER = 512
const CHECKSUM = 148

/**
 * A tar archive's first header has a sum of its bytes, itself as spaces; some programs sum them as signed
 * ones.
 */
function isTar(head: string): boolean {
  if (head.length < TAR_HEADER || head.slice(0, 100).includes('/gpkg-1\0')) return false
  const digits = head
    .slice(CHECKSUM, CHECKSUM + 8)
    .replace(/^[ \0]+|[ \0]+$/g, '')
    .split('\0')[0]!
  if (!/^[0-7]+$/.test(digits)) return false
  const sum = Number.parseInt(digits, 8)
  let [unsigned, signed] = [0, 0]
  for (let i = 0; i < TAR_HEADER; i++) {
    const byte = i >= CHECKSUM && i < CHECKSUM + 8 ? 32 : head.charCodeAt(i)
    unsigned += byte
    signed += byte > 127 ? byte - 256 : byte
  }
  return sum === unsigned || sum === signed
}

function isZstd(head: string): boolean {
  const mark = uint32(head, 0)
  if (head.length < 4) return false
  return (mark >= 0xfd2fb522 && mark <= 0xfd2fb528) || (mark >= 0x184d2a50 && mark <= 0x184d2a5f)
}

/** A browser's extension: a ZIP archive behind a key and a signature. */
function isExtension(head: string): boolean {
  if (head.length < 16 || !head.startsWith('Cr24')) return false
  const at = 16 + uint32(head, 8) + uint32(head, 12)
  return head.length >= at && isZip(head.slice(at))
}

const isCpio = (head: string) =>
  head.length >= 6 && (uint16(head, 0) === 0o070707 || /^07070[127]/.test(head))

const isZlib: Test = (head) =>
  head.length > 1 && head[0] === 'x' && (0x7800 | head.charCodeAt(1)) % 31 === 0 && !isText(head)

/** Kinds of archives and of packed content. PocketBase: mimetype's internal/magic/archive.go */
export const ARCHIVES = {
  sevenZ: {
    type: 'application/x-7z-compressed',
    extension: '.7z',
    test: begins("7z\xbc\xaf'\x1c"),
  },
  zip: {
    type: 'application/zip',
    extension: '.zip',
    test: isZip,
    aliases: ['application/x-zip', 'application/x-zip-compressed'],
    kinds: ZIPS,
  },
  ar: {
    type: 'application/x-archive',
    extension: '.a',
    test: begins('!<arch>'),
    aliases: ['application/x-unix-archive'],
    kinds: [
      {
        type: 'application/vnd.debian.binary-package',
        extension: '.deb',
        test: has(8, 'debian-binary'),
      },
    ],
  },
  tar: { type: 'application/x-tar', extension: '.tar', test: isTar },
  xar: { type: 'application/x-xar', extension: '.xar', test: begins('xar!') },
  bz2: { type: 'application/x-bzip2', extension: '.bz2', test: begins('BZh') },
  fits: {
    type: 'application/fits',
    extension: '.fits',
    test: begins(`SIMPLE  =${' '.repeat(20)}T`),
    aliases: ['image/fits'],
  },
  gzip: {
    type: 'application/gzip',
    extension: '.gz',
    test: begins('\x1f\x8b'),
    aliases: [
      'application/x-gzip',
      'application/x-gunzip',
      'application/gzipped',
      'application/gzip-compressed',
      'application/x-gzip-compressed',
      'gzip/document',
    ],
  },
  crx: { type: 'application/x-chrome-extension', extension: '.crx', test: isExtension },
  rar: {
    type: 'application/x-rar-compressed',
    extension: '.rar',
    test: begins('Rar!\x1a\x07\0', 'Rar!\x1a\x07\x01\0'),
    aliases: ['application/x-rar'],
  },
  zstd: { type: 'application/zstd', extension: '.zst', test: isZstd },
  cab: { type: 'application/vnd.ms-cab-compressed', extension: '.cab', test: begins('MSCF\0\0\0\0') },
  rpm: { type: 'application/x-rpm', extension: '.rpm', test: begins('\xed\xab\xee\xdb', 'drpm') },
  xz: { type: 'application/x-xz', extension: '.xz', test: begins('\xfd7zXZ\0') },
  lzip: {
    type: 'application/lzip',
    extension: '.lz',
    test: begins('LZIP'),
    aliases: ['application/x-lzip'],
  },
  cpio: { type: 'application/x-cpio', extension: '.cpio', test: isCpio },
  cabIS: {
    type: 'application/x-installshield',
    extension: '.cab',
    test: all(begins('ISc('), has(6, '\0\x01', '\0\x02', '\0\x04')),
  },
  zlib: { type: 'application/zlib', extension: '', test: isZlib },
} as const satisfies Record<string, ContentKind>
