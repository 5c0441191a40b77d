import { isUtf8 } from 'node:buffer'
import { fileTypeFromBuffer } from 'file-type'
import Papa from 'papaparse'
import { parseJson } from '../tools/json.ts'
import NAMES from './pocketbase-names.json' with { type: 'json' }

/** How many bytes of a file are examined, as in PocketBase's MIME library. */
export const HEAD_BYTES = 3072

/** Whether a file is of a certain kind. `head`: up to HEAD_BYTES of its bytes, one character per byte. */
type TextTest = (head: string) => boolean
type TextKind = readonly [type: string, extension: string, test: RegExp | TextTest]

/** HTML, by its first tag. https://mimesniff.spec.whatwg.org */
const HTML =
  /^(?:\xef\xbb\xbf)?[\t\n\f\r ]*<(?:!DOCTYPE HTML|HTML|HEAD|SCRIPT|IFRAME|H1|DIV|FONT|TABLE|A|STYLE|TITLE|B|BODY|BR|P|!--)[\t\n\f\r >]/i
const XML = /^(?:\xef\xbb\xbf)?[\t\n\f\r ]*<\?xml[\t\n\f\r >]/i

const COMMENTS = /^\s*(?:<!--.*?-->\s*)*/s
const SVG_TAG = /^<svg\s[^>]*?xmlns\s*=\s*["']?http:\/\/www\.w3\.org\/2000\/svg["'\s>]/
const isSvg: TextTest = (head) =>
  SVG_TAG.test(head.replace(COMMENTS, '')) || (/^\s*<\?xml\s/.test(head) && head.includes('<svg'))

const xml =
  (tag: RegExp, namespace = ''): TextTest =>
  (head) => {
    const near = head.trimStart().slice(0, 512)
    return XML.test(head) && tag.test(near) && near.includes(namespace)
  }

const script = (programs: string) =>
  new RegExp(
    `^#![ \\t]*(?:/bin/|/usr/bin/|/usr/local/bin/|/usr/bin/env[ \\t]+(?:-S[ \\t]+)?)(?:${programs})(?:\\s|$)`,
  )

const isWhole = (head: string) => head.length < HEAD_BYTES
const wholeLines = (head: string) =>
  isWhole(head) || head.lastIndexOf('\n') <= 0 ? head : head.slice(0, head.lastIndexOf('\n'))

const parsesAsJson = (text: string) => parseJson(text) !== undefined

const JSON_WORDS =
  /^(?:[\s{}[\],:]|"(?:[^"\\\x00-\x1f]|\\.)*"|(?:-?\d[\d.eE+-]*|true|false|null)(?=[\s,\]}]))*/
/** A file cut off at HEAD_BYTES counts as JSON if it has only JSON tokens up to there. */
const isJson: TextTest = (head) => {
  if (!/^[\t\n\f\r ]*[{[]/.test(head)) return false
  return isWhole(head)
    ? parsesAsJson(head)
    : /^(?:"[^\x00-\x1f]*|[\w.+-]{0,400})$/.test(head.replace(JSON_WORDS, ''))
}

const member = (pattern: string) => {
  const isThere = new RegExp(pattern)
  return (head: string) => isJson(head) && isThere.test(head)
}
/** Regex for the start of a JSON object up to a member's name. Nothing nested may precede the member. */
const MEMBER = String.raw`^\s*\{(?:[^{}[\]]*,)?\s*`
const GEO_TYPES = 'Feature(?:Collection)?|(?:Multi)?(?:Point|LineString|Polygon)|GeometryCollection'

const isLinesOfJson: TextTest = (head) => {
  const whole = wholeLines(head)
  const lines = whole.trimEnd().split('\n')
  const isMany = lines.length > 1 || whole !== head
  return isMany && lines.every(parsesAsJson) && lines.some((line) => /^\s*[{[]/.test(line))
}

/** Returns a test for tables: each line has the same number of cells, at least 2. Needs 2 lines, reads 10. */
const table =
  (delimiter: string): TextTest =>
  (head) => {
    const { data } = Papa.parse<string[]>(wholeLines(head), {
      delimiter,
      comments: '#',
      skipEmptyLines: true,
    })
    const [first = [], ...others] = data.slice(0, 10)
    return first.length > 1 && others.length > 0 && others.every(({ length }) => length === first.length)
  }

const STAMP = String.raw`(?:[01]?\d|2[0-3]):[0-5]\d:[0-5]\d,\d{3}`
const MAIL_HEADER =
  /^(?:From|To|Date|Subject|Received|Relay-Version|Content-Type|Content-Transfer-Encoding|[Cc]c|Delivered-To|Return-Path): /m

const isMail: TextTest = (head) => {
  const [first = '', ...others] = head.split('\n', 21)
  return MAIL_HEADER.test(first) && others.some((line) => MAIL_HEADER.test(line))
}

/** Kinds of text, in the order of the tests. PocketBase: mimetype's internal/magic/text.go, text_csv.go */
const TEXTS: readonly TextKind[] = [
  ['image/svg+xml', '.svg', isSvg],
  ['text/html', '.html', HTML],
  ['application/rss+xml', '.rss', xml(/<rss[\s>]/)],
  ['application/atom+xml', '.atom', xml(/<feed\s/, 'xmlns="http://www.w3.org/2005/Atom"')],
  ['application/vnd.google-earth.kml+xml', '.kml', xml(/<kml\s/, 'xmlns="http://')],
  ['application/gpx+xml', '.gpx', xml(/<gpx[\s>]/)],
  ['application/xhtml+xml', '.html', xml(/<!DOCTYPE\s+HTML|<HTML\s+XMLNS=/i)],
  ['text/xml', '.xml', XML],
  ['text/x-php', '.php', /^<\?(?:php|[\n\r ])|^#![ \t]*\/\S*(?: |\/)php/i],
  ['text/javascript', '.js', script('node|nodejs')],
  ['text/x-python', '.py', script('python[\\d.]*')],
  ['application/x-ndjson', '.ndjson', isLinesOfJson],
  ['application/geo+json', '.geojson', member(`${MEMBER}"type"\\s*:\\s*"(?:${GEO_TYPES})"`)],
  ['application/json', '.json', isJson],
  ['text/rtf', '.rtf', /^\{\\rtf/],
  ['application/x-subrip', '.srt', new RegExp(`^1\\r?\\n${STAMP} --> ${STAMP}\\r?\\n.`)],
  ['text/csv', '.csv', table(',')],
  ['text/tab-separated-values', '.tsv', table('\t')],
  ['text/vcard', '.vcf', /^BEGIN:VCARD\r?\n/i],
  ['text/calendar', '.ics', /^BEGIN:VCALENDAR\r?\n/i],
  ['text/vtt', '.vtt', /^(?:\xef\xbb\xbf)?WEBVTT(?:\s|$)/],
  ['text/x-shellscript', '.sh', script('(?:ba|c|da|k|tc|z)?sh')],
  ['message/rfc822', '.eml', isMail],
  ['text/plain', '.txt', /^/],
]

const textKind = (head: string): TextKind =>
  TEXTS.find(([, , test]) => (test instanceof RegExp ? test.test(head) : test(head)))!

export interface Sniffed {
  /** The type with its charset: `text/plain; charset=utf-8`. */
  readonly type: string
  /** The extension with its dot; '' if there is none. */
  readonly extension: string
  readonly names: readonly string[]
}

/** Detects a file's type by its first bytes and names it as PocketBase does (gabriel-vasile/mimetype). */
export async function sniff(content: Buffer): Promise<Sniffed> {
  const bytes = content.subarray(0, HEAD_BYTES)
  const head = bytes.toString('latin1')
  const [type, extension] =
    bySignature(head, SIGNATURES) ?? (isText(head) ? textKind(head) : await ofBinary(bytes, head))
  return { type: withCharset(type, head), extension, names: namesOf(type) }
}

const bySignature = (text: string, signatures: readonly Signature[]) =>
  signatures.find(([, , pattern]) => pattern.test(text))

async function ofBinary(bytes: Buffer, head: string): Promise<NamedType | Signature> {
  const kind = await fileTypeFromBuffer(bytes)
  if (!kind) return isZlib(bytes) ? ['application/zlib', ''] : ['application/octet-stream', '']
  return (kind.ext === 'cfb' && ofCompound(bytes, head)) || pocketbaseName(kind)
}

function ofCompound(bytes: Buffer, head: string): Signature | undefined {
  if (bytes.length < 512) return undefined
  const sectorBytes = bytes.readUInt16LE(26) === 4 ? 4096 : 512
  const root = sectorBytes * (1 + bytes.readUInt32LE(48)) + 80
  return bySignature(head.slice(root), COMPOUND_CLASSES)
}

const isZlib = (bytes: Buffer) => bytes.length > 1 && bytes[0] === 0x78 && bytes.readUInt16BE(0) % 31 === 0

const CHARSET_BYTES = 1024

const BYTE_ORDER_MARKS: readonly (readonly [mark: string, charset: string])[] = [
  ['\xef\xbb\xbf', 'utf-8'],
  ['\0\0\xfe\xff', 'utf-32be'],
  ['\xff\xfe\0\0', 'utf-32le'],
  ['\xfe\xff', 'utf-16be'],
  ['\xff\xfe', 'utf-16le'],
]

const markedCharset = (head: string): string =>
  BYTE_ORDER_MARKS.find(([mark]) => head.startsWith(mark))?.[1] ?? ''

const BINARY = /[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/

/** Whether a file is text, by its start. https://mimesniff.spec.whatwg.org/#binary-data-byte */
export const isText = (head: string): boolean => markedCharset(head) !== '' || !BINARY.test(head)

const ASCII = /^[\x07-\x0d\x1b\x20-\x7e\x85]*$/
const LATIN = /^[\x07-\x0d\x1b\x20-\x7e\x85\xa0-\xff]*$/

/** Guesses the encoding of a text; '' if unknown. PocketBase: mimetype's internal/charset */
function guess(text: string): string {
  const marked = markedCharset(text)
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
  'text/plain': guess,
  'text/html': (text) => markedCharset(text) || META.exec(text)?.[1] || guess(text),
  'text/xml': (text) => DECLARATION.exec(text)?.[1] || guess(text),
}

function withCharset(type: string, head: string): string {
  const charset = CHARSETS[type]?.(head.slice(0, CHARSET_BYTES)) ?? ''
  return charset ? `${type}; charset=${charset}` : type
}

/** A kind of content by its first bytes, one character per byte. */
export type Signature = readonly [type: string, extension: string, pattern: RegExp]

const OPEN_XML = 'application/vnd.openxmlformats-officedocument'
/** Matches a ZIP archive that begins like an office document and has this folder. */
const office = (folder: string) =>
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
  [`${OPEN_XML}.wordprocessingml.document`, '.docx', office('word')],
  [`${OPEN_XML}.presentationml.presentation`, '.pptx', office('ppt')],
  [`${OPEN_XML}.spreadsheetml.sheet`, '.xlsx', office('xl')],
  ['audio/mpeg', '.mp3', /^(?:ID3[\x02-\x04]|\xff[\xe2\xe3\xf2\xf3\xfa\xfb])/],
]

type NamedType = readonly [type: string, extension: string]

/** From mimetype. `renamed`: type and extension for a type of file-type. `aliases`: other names of a type. */
const { renamed, aliases } = NAMES as {
  readonly renamed: Readonly<Record<string, readonly string[]>>
  readonly aliases: Readonly<Record<string, readonly string[]>>
}

const pocketbaseName = ({ mime, ext }: { readonly mime: string; readonly ext: string }): NamedType =>
  (renamed[mime] as NamedType | undefined) ?? [mime, `.${ext}`]

const OPEN_DOCUMENT = 'application/vnd.oasis.opendocument.'

function namesOf(type: string): string[] {
  if (type.startsWith(OPEN_DOCUMENT)) return [type, type.replace('application/', 'application/x-')]
  return [type, ...(aliases[type] ?? [])]
}
