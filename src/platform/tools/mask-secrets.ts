/** The text that replaces a secret. */
const MASK = '***'

/** Shorter pieces of encoded text would also match what is no secret. */
const MIN_ENCODED = 5
/** A text that is cut off may end in the beginning of a secret: from this many characters on it is masked. */
const MIN_BEGINNING = 6

/** A text as UTF-8, a character for each byte, with the place in the text of each byte. */
interface View {
  readonly bytes: string
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

const HEX = '[\\da-f]'
/** How programs write a character in JSON (a pair of surrogates, too), a URL or HTML. */
const ESCAPE = new RegExp(
  `\\\\u(d[89ab]${HEX}{2})\\\\{1,9}u(d[c-f]${HEX}{2})|\\\\u(${HEX}{4})|%(${HEX}{2})|&(?:#x(${HEX}{1,9})|#(\\d{1,9})|(amp|lt|gt|quot|apos));`,
  'iy',
)
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
}

const toUtf8 = (text: string) => Buffer.from(text).toString('latin1')
const lowerAscii = (bytes: string) => bytes.replace(/[A-Z]/g, (letter) => letter.toLowerCase())

/** The bytes of an escape, and where it ends; undefined if there is none at this place. */
function readEscape(text: string, at: number): readonly [bytes: string, end: number] | undefined {
  ESCAPE.lastIndex = at
  const [whole, high, low, unit, byte, hex, digits, name] = ESCAPE.exec(text) ?? []
  if (whole === undefined) return undefined
  const end = at + whole.length
  if (byte !== undefined) return [String.fromCharCode(Number.parseInt(byte, 16)), end]
  if (name !== undefined) return [ENTITIES[name.toLowerCase()]!, end]
  const units = [high, low, unit].flatMap((one) =>
    one === undefined ? [] : [Number.parseInt(one, 16)],
  )
  if (units.length > 0) return [toUtf8(String.fromCharCode(...units)), end]
  const code = digits === undefined ? Number.parseInt(hex!, 16) : Number(digits)
  return code <= 0x10ffff ? [toUtf8(String.fromCodePoint(code)), end] : undefined
}

/** A text without backslashes, which programs write before other characters, and without `skipped` ones. */
function makeTextView(text: string, isDecoded: boolean, skipped = ''): View {
  let bytes = ''
  const starts: number[] = []
  const ends: number[] = []
  for (let at = 0; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at)!)
    const escaped = isDecoded ? readEscape(text, at) : undefined
    const [piece, end] = escaped ?? [toUtf8(character), at + character.length]
    if (escaped || (character !== '\\' && !skipped.includes(character))) {
      bytes += piece
      for (const _ of piece) {
        starts.push(at)
        ends.push(end)
      }
    }
    at = end
  }
  return { bytes: lowerAscii(bytes), starts, ends }
}

/** The characters of a Base64 text that depend on `bytes` alone, by how many bytes precede them. */
function listBase64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const own = text.slice(
      Math.ceil((before * 8) / 6),
      Math.floor(((before + bytes.length) * 8) / 6),
    )
    return own.length < MIN_ENCODED ? [] : [own, own.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** Returns a function that finds the spans of secrets in a text, however it writes them. */
function makeSecretFinder(text: string) {
  const plain = makeTextView(text, false)
  const decoded = makeTextView(text, true)
  const ofHex = makeTextView(text, false, ' :')
  // people write blanks and hyphens between the digits of a code
  const ofDigits = makeTextView(text, false, ' \t\r\n\u00a0.-')
  return (secret: string): (readonly [start: number, end: number])[] => {
    const bytes = Buffer.from(secret)
    const itself = toUtf8(secret.replaceAll('\\', ''))
    const places: (readonly [View, string])[] = [
      [plain, itself],
      [decoded, itself],
      ...(/^\d+$/.test(secret) ? [[ofDigits, itself] as const] : []),
      [ofHex, bytes.toString('hex')],
      ...listBase64Forms(bytes).map((form) => [plain, form] as const),
    ]
    return places.flatMap(([view, wanted]) => findSpans(view, lowerAscii(wanted)))
  }
}

function findSpans(
  { bytes, starts, ends }: View,
  wanted: string,
): (readonly [start: number, end: number])[] {
  const spans: (readonly [number, number])[] = []
  if (wanted === '') return spans
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + wanted.length))
    spans.push([starts[at]!, ends[at + wanted.length - 1]!])
  return spans
}

/**
 * Masks our secrets in another program's text, in upper or lower case and with escapes. Call it once, where
 * the text is stored. Its time is proportional to the lengths of the text and the secrets, whatever they are.
 */
export function maskSecrets(text: string, secrets: readonly string[]): string {
  const known = [...new Set(secrets)].filter((secret) => secret !== '')
  if (known.length === 0 || text === '') return text
  const spans = known.flatMap(makeSecretFinder(text)).sort(([a, b], [c, d]) => a - c || d - b)
  let [kept, from] = ['', 0]
  for (const [start, end] of spans) {
    if (start >= from) kept += text.slice(from, start) + MASK
    from = Math.max(from, end)
  }
  const longestFirst = known.sort((a, b) => b.length - a.length)
  return longestFirst.reduce(cutSecretBeginning, kept + text.slice(from))
}

function cutSecretBeginning(text: string, secret: string): string {
  for (let length = secret.length - 1; length >= MIN_BEGINNING; length--)
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + MASK
  return text
}
