import { all, begins, type ContentKind, has, type Test, uint32 } from './kind.ts'

/** The class of a compound file's root, which stands in its directory. */
const ofClass =
  (...classes: readonly string[]): Test =>
  (head) => {
    const sector = head.startsWith('\x04\0', 26) ? 4096 : 512
    const at = sector * (1 + uint32(head, 48)) + 80
    if (head.length < 512 || head.length <= at + 16) return false
    return classes.some((one) => head.startsWith(one, at))
  }

const OFFICE_CLASS = '\0\0\0\0\0\xc0\0\0\0\0\0\0\x46'
const wide = (text: string) => [...text].join('\0')

const isSheet = ofClass('\x10\x08\x02\0\0\0\0\0', '\x20\x08\x02\0\0\0\0\0')
const SHEET_HEADERS = [
  '\x09\x08\x10\0\0\x06\x05\0',
  ...[...'\x10\x1f\x22\x23\x28\x29'].map((c) => `\xfd\xff\xff\xff${c}`),
]
const SHEET_NAME = wide('WksSSWorkBook')
const isXls: Test = (head) =>
  isSheet(head) ||
  (head.length >= 520 && (has(512, ...SHEET_HEADERS)(head) || head.slice(1152).includes(SHEET_NAME)))

const isSlides = ofClass(
  '\x10\x8d\x81\x64\x9b\x4f\xcf\x11\x86\xea\0\xaa\0\xb9\x29\xe8',
  '\x70\xae\x7b\xea\x3b\xfb\xcd\x11\xa9\x03\0\xaa\0\x51\x0e\xa3',
)
const SLIDE_HEADERS = ['\xa0\x46\x1d\xf0', '\0\x6e\x1e\xf0', '\x0f\0\xe8\x03']
// to the letter: a space of one byte stands in it
const SLIDES_NAME = `${wide('PowerPoint')}\0 ${wide('Document')}`
const isPpt: Test = (head) => {
  if (isSlides(head)) return true
  if (head.length < 520) return false
  if (has(512, ...SLIDE_HEADERS)(head)) return true
  return (
    (head.startsWith('\xfd\xff\xff\xff', 512) && head.startsWith('\0\0', 518)) ||
    head.slice(1152).includes(SLIDES_NAME)
  )
}

/**
 * Kinds of compound files, as Microsoft's older programs wrote them. PocketBase: mimetype's
 * internal/magic/ms_office.go
 */
const COMPOUND: readonly ContentKind[] = [
  {
    type: 'application/x-ms-installer',
    extension: '.msi',
    test: ofClass(`\x84\x10\x0c${OFFICE_CLASS}`),
    aliases: ['application/x-windows-installer', 'application/x-msi'],
  },
  { type: 'application/vnd.ms-outlook', extension: '.msg', test: ofClass(`\x0b\x0d\x02${OFFICE_CLASS}`) },
  { type: 'application/vnd.ms-excel', extension: '.xls', test: isXls, aliases: ['application/msexcel'] },
  {
    type: 'application/vnd.ms-publisher',
    extension: '.pub',
    test: ofClass('\x01\x12\x02\0\0\0\0\0\0\xc0\0\0\0\0\0\x46'),
  },
  {
    type: 'application/vnd.ms-powerpoint',
    extension: '.ppt',
    test: isPpt,
    aliases: ['application/mspowerpoint'],
  },
  {
    type: 'application/msword',
    extension: '.doc',
    test: ofClass(`\x06\x09\x02${OFFICE_CLASS}`, `\0\x09\x02${OFFICE_CLASS}`, `\x07\x09\x02${OFFICE_CLASS}`),
    aliases: ['application/vnd.ms-word'],
  },
]

const SIGNED_DATA = '\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07'
const isSignature: Test = (head) =>
  head.startsWith('-----BEGIN PKCS7') ||
  (head.length >= 20 &&
    head[0] === '0' &&
    head.charCodeAt(1) >= 0x80 &&
    head.charCodeAt(1) <= 0x84 &&
    head.startsWith(SIGNED_DATA, head.charCodeAt(1) - 0x80 + 2))

const isLotus: Test = (head) => {
  if (head.length <= 20) return false
  if (head.startsWith('\0\0\x02\0')) return head[6] !== '\0' && head[7] === '\0'
  return head.startsWith('\0\0\x1a\0') && head.charCodeAt(20) > 0 && head.charCodeAt(20) < 32
}

const isFrameMaker: Test = (head) =>
  /^(<MakerFile|<MakerDictionary|<[Bb][Oo][Oo][Kk][Ff][Ii][Ll][Ee])/.test(head) &&
  head.slice(0, 512).includes('\0')

/** Kinds of documents. PocketBase: mimetype's internal/magic/document.go */
export const DOCUMENTS = {
  pdf: {
    type: 'application/pdf',
    extension: '.pdf',
    test: (head: string) => head.slice(0, 1024).includes('%PDF-'),
    aliases: ['application/x-pdf'],
  },
  fdf: { type: 'application/vnd.fdf', extension: '.fdf', test: begins('%FDF') },
  ole: {
    type: 'application/x-ole-storage',
    extension: '',
    test: begins('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'),
    kinds: COMPOUND,
  },
  ps: { type: 'application/postscript', extension: '.ps', test: begins('%!PS-Adobe-') },
  p7s: { type: 'application/pkcs7-signature', extension: '.p7s', test: isSignature },
  lotus: { type: 'application/vnd.lotus-1-2-3', extension: '.123', test: isLotus },
  mobi: { type: 'application/x-mobipocket-ebook', extension: '.mobi', test: has(60, 'BOOKMOBI') },
  lit: { type: 'application/x-ms-reader', extension: '.lit', test: begins('ITOLITLS') },
  oneNote: {
    type: 'application/onenote',
    extension: '.one',
    test: begins('\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d\xae\xb1\x53\x78\xd0\x29\x96\xd3'),
  },
  chm: { type: 'application/vnd.ms-htmlhelp', extension: '.chm', test: begins('ITSF\x03\0\0\0\x60\0\0\0') },
  wpd: {
    type: 'application/vnd.wordperfect',
    extension: '.wpd',
    test: all(begins('\xffWPC'), has(8, '\x01\x0a')),
  },
  inf: { type: 'application/x-os2-inf', extension: '.inf', test: begins('HSP\x01\x9b\0') },
  hlp: { type: 'application/x-os2-hlp', extension: '.hlp', test: begins('HSP\x10\x9b\0') },
  fm: { type: 'application/vnd.framemaker', extension: '.fm', test: isFrameMaker },
} as const satisfies Record<string, ContentKind>
