import { isUtf8 } from 'node:buffer'

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
export const isText = (head: string): boolean =>
  findMarkedCharset(head) !== '' || !BINARY.test(head)

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

export function addCharset(type: string, head: string): string {
  const charset = CHARSETS[type]?.(head.slice(0, CHARSET_BYTES)) ?? ''
  return charset ? `${type}; charset=${charset}` : type
}
