import { isUtf8 } from 'node:buffer'
import { findTextKind, HEAD_BYTES } from './detect-text-kind.ts'
import NAMES from './pocketbase-names.json' with { type: 'json' }

/** A kind of content by its first bytes, one character per byte. */
type Signature = readonly [type: string, extension: string, pattern: RegExp]

const OPEN_XML = 'application/vnd.openxmlformats-officedocument'
/** Matches a ZIP archive that begins like an office document and has this folder. */
const makeOfficePattern = (folder: string) =>
  new RegExp(
    `^PK\\x03\\x04.{26}(?:\\[Content_Types\\]\\.xml|_rels/|docProps/|customXml/|\\[trash\\]/|${folder}/)` +
      `(?:.*PK\\x03\\x04.{26}${folder}/|(?<=${folder}/))`,
    's',
  )
const NOTHING = '\\0\\0\\0\\0\\0\\xc0\\0\\0\\0\\0\\0\\0\\x46'

/** Types of OLE compound files by the class ID of their root. PocketBase: internal/magic/ms_office.go */
const COMPOUND_CLASSES: readonly Signature[] = [
  ['application/vnd.ms-outlook', '.msg', new RegExp(`^\\x0b\\x0d\\x02${NOTHING}`)],
  ['application/vnd.ms-excel', '.xls', /^[\x10\x20]\x08\x02\0\0\0\0\0/],
  [
    'application/vnd.ms-powerpoint',
    '.ppt',
    /^(?:\x10\x8d\x81\x64\x9b\x4f\xcf\x11|\x70\xae\x7b\xea\x3b\xfb\xcd\x11)/,
  ],
  ['application/msword', '.doc', new RegExp(`^[\\x06\\0\\x07]\\x09\\x02${NOTHING}`)],
]

/**
 * Types to test first: they may look like text, or file-type is less precise. PocketBase: mimetype's tree.go
 */
const SIGNATURES: readonly Signature[] = [
  ['image/gif', '.gif', /^GIF8[79]a/],
  ['image/vnd.mozilla.apng', '.png', /^\x89PNG\r\n\x1a\n.{29}acTL/s],
  ['image/png', '.png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', '.jpg', /^\xff\xd8\xff(?!\xf7)/],
  ['image/tiff', '.tiff', /^(?:II\*\0|MM\0\*)/],
  ['application/pdf', '.pdf', /^.{0,1019}?%PDF-/s],
  ['application/gzip', '.gz', /^\x1f\x8b/],
  [`${OPEN_XML}.wordprocessingml.document`, '.docx', makeOfficePattern('word')],
  [`${OPEN_XML}.presentationml.presentation`, '.pptx', makeOfficePattern('ppt')],
  [`${OPEN_XML}.spreadsheetml.sheet`, '.xlsx', makeOfficePattern('xl')],
  ['audio/mpeg', '.mp3', /^(?:ID3[\x02-\x04]|\xff[\xe2\xe3\xf2\xf3\xfa\xfb])/],
]

export interface Sniffed {
  /** The type with its charset: `text/plain; charset=utf-8`. */
  readonly type: string
  /** The extension with its dot; '' if there is none. */
  readonly extension: string
  readonly names: readonly string[]
}

/** Detects a file's type by its first bytes and names it as PocketBase does (gabriel-vasile/mimetype). */
export async function sniffContentType(content: Buffer): Promise<Sniffed> {
  const bytes = content.subarray(0, HEAD_BYTES)
  const head = bytes.toString('latin1')
  const [type, extension] =
    findSignature(head, SIGNATURES) ??
    (isText(head) ? findTextKind(head) : await sniffBinary(bytes, head))
  return { type: addCharset(type, head), extension, names: listTypeNames(type) }
}

const findSignature = (text: string, signatures: readonly Signature[]) =>
  signatures.find(([, , pattern]) => pattern.test(text))

async function sniffBinary(bytes: Buffer, head: string): Promise<NamedType | Signature> {
  const { fileTypeFromBuffer } = await import('file-type')
  const kind = await fileTypeFromBuffer(bytes)
  if (!kind) return isZlib(bytes) ? ['application/zlib', ''] : ['application/octet-stream', '']
  return (kind.ext === 'cfb' && sniffCompound(bytes, head)) || toPocketbaseType(kind)
}

function sniffCompound(bytes: Buffer, head: string): Signature | undefined {
  if (bytes.length < 512) return undefined
  const sectorBytes = bytes.readUInt16LE(26) === 4 ? 4096 : 512
  const root = sectorBytes * (1 + bytes.readUInt32LE(48)) + 80
  return findSignature(head.slice(root), COMPOUND_CLASSES)
}

const isZlib = (bytes: Buffer) =>
  bytes.length > 1 && bytes[0] === 0x78 && bytes.readUInt16BE(0) % 31 === 0

type NamedType = readonly [type: string, extension: string]

/** From mimetype. `renamed`: type and extension for a type of file-type. `aliases`: other names of a type. */
const { renamed, aliases } = NAMES as {
  readonly renamed: Readonly<Record<string, readonly string[]>>
  readonly aliases: Readonly<Record<string, readonly string[]>>
}

const toPocketbaseType = ({
  mime,
  ext,
}: {
  readonly mime: string
  readonly ext: string
}): NamedType => (renamed[mime] as NamedType | undefined) ?? [mime, `.${ext}`]

const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument.'

function listTypeNames(type: string): string[] {
  if (type.startsWith(OPEN_DOCUMENT)) return [type, type.replace('application/', 'application/x-')]
  return [type, ...(aliases[type] ?? [])]
}

const CHARSET_BYTES = 1024

const BYTE_ORDER_MARKS: readonly (readonly [mark: string, charset: string])[] = [
  ['\xef\xbb\xbf', 'utf-8'],
  ['\0\0\xfe\xff', 'utf-32be'],
  ['\xff\xfe\0\0', 'utf-32le'],
  ['\xfe\xff', 'utf-16be'],
  ['\xff\xfe', 'utf-16le'],
]

const findMarkedCharset = (head: string): string =>
  BYTE_ORDER_MARKS.find(([mark]) => head.startsWith(mark))?.[1] ?? ''

const BINARY = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/

/** Whether a file is text, by its start. https://mimesniff.spec.whatwg.org/#binary-data-byte */
const isText = (head: string): boolean => findMarkedCharset(head) !== '' || !BINARY.test(head)

const ASCII = /^[\x07-\x0d\x1b\x20-\x7e\x85]*$/
const LATIN = /^[\x07-\x0d\x1b\x20-\x7e\x85\xa0-\xff]*$/

/** Guesses the encoding of a text; '' if unknown. PocketBase: mimetype's internal/charset */
function guessCharset(text: string): string {
  const marked = findMarkedCharset(text)
  if (text === '' || marked) return marked
  // drop a character that is cut at the end
  const whole = text.replace(/[\xc0-\xff][\x80-\xbf]{0,2}$/, '')
  if (/[\x80-\xff]/.test(whole) && isUtf8(Buffer.from(whole, 'latin1'))) return 'utf-8'
  if (ASCII.test(text)) return 'utf-8'
  if (!LATIN.test(text)) return ''
  return text.includes('\x85') ? 'windows-1252' : 'iso-8859-1'
}

const META = /<meta\s[^<>]*?charset\s?=\s?["']?([\w.:-]+)/i
const DECLARATION = /^\s*<\?xml\s[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([\w.:-]+)/

const CHARSETS: Readonly<Record<string, (text: string) => string>> = {
  'text/plain': guessCharset,
  'text/html': (text) => findMarkedCharset(text) || META.exec(text)?.[1] || guessCharset(text),
  'text/xml': (text) => DECLARATION.exec(text)?.[1] || guessCharset(text),
}

function addCharset(type: string, head: string): string {
  const charset = CHARSETS[type]?.(head.slice(0, CHARSET_BYTES)) ?? ''
  return charset ? `${type}; charset=${charset}` : type
}
