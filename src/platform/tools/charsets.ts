import { badRequest } from '../api-errors.ts'

/** A Content-Type in lower case, as types are compared. RFC 9110, 8.3.1 */
export const readMediaType = (contentType: string | undefined): string =>
  (contentType ?? '').trim().toLowerCase()

/** The charset that a Content-Type declares; '' for none. RFC 9110, 8.3.1 */
export function readCharset(contentType: string): string {
  const [, quoted, plain = ''] =
    /;\s*charset\s*=\s*(?:"([^"]*)"|([^;\s]*))/i.exec(contentType) ?? []
  return (quoted ?? plain).trim()
}

/** A decoder by a WHATWG label, that refuses malformed bytes; undefined for an unknown label. */
function makeTextDecoder(charset: string) {
  try {
    return new TextDecoder(charset, { fatal: true })
  } catch {
    return undefined
  }
}

/**
 * Decodes a text by its declared charset, a WHATWG label; '' is UTF-8. Leaves out a byte order mark. Throws
 * 400 for an unknown charset and for bytes that are malformed in it: no U+FFFD takes their place.
 */
export function decodeText(bytes: Uint8Array, charset = ''): string {
  const decoder = makeTextDecoder(charset || 'utf-8')
  if (!decoder) throw badRequest(`The charset "${charset.slice(0, 40)}" is not known.`)
  try {
    return decoder.decode(bytes)
  } catch {
    throw badRequest(`The text is not valid in the charset ${charset.toLowerCase() || 'utf-8'}.`)
  }
}

const [PERCENT, PLUS, BLANK] = [37, 43, 32]

/** A name or value of a form as bytes. A `%` without two digits is kept. */
function unescapeFormBytes(escaped: string): Buffer {
  const bytes = Buffer.from(escaped, 'latin1')
  let length = 0
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!
    const code =
      byte === PERCENT ? readHexDigit(bytes[i + 1]) * 16 + readHexDigit(bytes[i + 2]) : Number.NaN
    if (!Number.isNaN(code)) i += 2
    bytes[length++] = Number.isNaN(code) ? (byte === PLUS ? BLANK : byte) : code
  }
  return bytes.subarray(0, length)
}

/** The value of a hexadecimal digit's byte; NaN for another. */
function readHexDigit(byte = 0): number {
  if (byte >= 48 && byte <= 57) return byte - 48
  const letter = byte | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : Number.NaN
}

export type FormPair = readonly [name: string, value: string]

/** The names and values of a form or a query as bytes, at most `maxFields`. */
export function splitFormBytes(
  form: Uint8Array,
  maxFields?: number,
): (readonly [name: Buffer, value: Buffer])[] {
  const parts = Buffer.from(form).toString('latin1').split('&', maxFields)
  return parts
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', ...value] = part.split('=')
      return [unescapeFormBytes(name), unescapeFormBytes(value.join('='))]
    })
}

type Named = readonly [name: Buffer, value: Buffer]

/** The charset that a form names in its field `_charset_`; '' for none. RFC 7578, 4.6 */
const readCharsetField = (fields: readonly Named[]): string =>
  fields
    .find(([name]) => name.toString() === '_charset_')?.[1]
    .toString('latin1')
    .trim() ?? ''

/** Reads a form or a query by its charset, else by its field `_charset_`. Throws 400 as `decodeText`. */
export function decodeForm(form: Uint8Array, charset = '', maxFields?: number): FormPair[] {
  const fields = splitFormBytes(form, maxFields)
  const declared = charset || readCharsetField(fields)
  return fields.map(([name, value]) => [decodeText(name, declared), decodeText(value, declared)])
}

/** A value of a multipart form, with the charset that its part declares; '' for none. */
export interface FormPart {
  readonly name: string
  readonly value: Buffer
  readonly charset: string
}

/** Reads a multipart form by each part's charset, else by the field `_charset_`. Throws as `decodeText`. */
export function decodeParts(parts: readonly FormPart[]): FormPair[] {
  const usual = readCharsetField(parts.map(({ name, value }) => [Buffer.from(name), value]))
  return parts.map(({ name, value, charset }) => [name, decodeText(value, charset || usual)])
}
