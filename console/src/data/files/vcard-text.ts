/** How a value of a vCard is encoded. `charset`: '' if its line names none. */
export interface Coding {
  readonly encoding: 'quoted-printable' | 'base64' | ''
  readonly charset: string
}

/** Decodes a value: resolves its escapes, and replaces line breaks with spaces. */
export const decodeText = (value: string, coding: Coding): string =>
  decodeVcardValue(value, coding)
    .replace(/\\([\\,;:nN])/g, (_, char: string) => (/n/i.test(char) ? ' ' : char))
    .replace(/\s+/g, ' ')
    .trim()

/** Decodes quoted-printable, Base64 and the charset of a value; keeps its escapes. */
export function decodeVcardValue(value: string, { encoding, charset }: Coding): string {
  const bytes =
    encoding === 'quoted-printable'
      ? decodeQuotedPrintable(value)
      : encoding === 'base64'
        ? decodeBase64(value)
        : undefined
  if (bytes) return makeDecoder(charset).decode(bytes)
  return charset === '' || /^utf-?8$/i.test(charset) ? value : recodeText(value, charset)
}

/** Decodes a text by the charset that its line names, if the file was read as Windows-1252. */
function recodeText(value: string, charset: string): string {
  const codes = [...value].map((char) => WINDOWS_1252.indexOf(char))
  return codes.includes(-1) ? value : makeDecoder(charset).decode(Uint8Array.from(codes))
}

const WINDOWS_1252 = new TextDecoder('windows-1252').decode(
  Uint8Array.from({ length: 256 }, (_, at) => at),
)

function decodeBase64(value: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(value), (char) => char.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** The bytes of quoted-printable, such as `=C3=A9`. */
function decodeQuotedPrintable(value: string): Uint8Array {
  const plain = new TextEncoder().encode(value.replace(/=$/, ''))
  const bytes: number[] = []
  for (let at = 0; at < plain.length; at++) {
    const code =
      plain[at] === 0x3d ? String.fromCharCode(plain[at + 1] ?? 0, plain[at + 2] ?? 0) : ''
    const isCode = /^[\da-f]{2}$/i.test(code)
    bytes.push(isCode ? Number.parseInt(code, 16) : plain[at]!)
    if (isCode) at += 2
  }
  return new Uint8Array(bytes)
}

/** An unknown charset counts as UTF-8. */
function makeDecoder(charset: string) {
  try {
    return new TextDecoder(charset || 'utf-8')
  } catch {
    return new TextDecoder()
  }
}
