import { parseJson } from '../../platform/tools/json.ts'

/** Maximum nesting of JSON, which is SQLite's limit. Postgres fails somewhere above 6,000. */
const MAX_DEPTH = 1000

/** Replaces lone surrogates and NUL by U+FFFD: Postgres would later refuse the whole document. */
const toSafeText = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd')

/** Compares by UTF-8 bytes, as Go does. UTF-16 order differs only for surrogates and U+E000 and above. */
export function compareBytes(a: string, b: string): number {
  if (/[\ud800-\uffff]/.test(a) && /[\ud800-\uffff]/.test(b))
    return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a < b ? -1 : a > b ? 1 : 0
}

/** JSON with keys in byte order, without spaces. Go: encoding/json.Marshal */
export function writeSortedJson(value: unknown): string {
  const pieces = new TextPieces()
  writeValue(pieces, value, 0)
  return pieces.text
}

function writeValue(pieces: TextPieces, value: unknown, depth: number): void {
  if (typeof value === 'string') pieces.add(JSON.stringify(toSafeText(value)))
  else if (typeof value === 'number') pieces.add(writeNumber(value))
  else if (typeof value === 'boolean') pieces.add(String(value))
  else if (value === null || typeof value !== 'object' || depth > MAX_DEPTH) pieces.add('null')
  else if (Array.isArray(value)) writeList(pieces, value, depth)
  else writeObject(pieces, value as Readonly<Record<string, unknown>>, depth)
}

function writeList(pieces: TextPieces, list: readonly unknown[], depth: number): void {
  pieces.add('[')
  for (const [i, item] of list.entries()) {
    if (i > 0) pieces.add(',')
    writeValue(pieces, item, depth + 1)
  }
  pieces.add(']')
}

function writeObject(
  pieces: TextPieces,
  value: Readonly<Record<string, unknown>>,
  depth: number,
): void {
  pieces.add('{')
  for (const [i, [key, name]] of sortNames(value).entries()) {
    pieces.add(`${i > 0 ? ',' : ''}${JSON.stringify(name)}:`)
    writeValue(pieces, value[key], depth + 1)
  }
  pieces.add('}')
}

/** A text of many pieces. Adding each to the text would take 32 bytes more: 32 MB for 500,000 numbers. */
class TextPieces {
  #last: string[] = []
  #before = ''

  get text(): string {
    return this.#before + this.#last.join('')
  }

  add(piece: string): void {
    this.#last.push(piece)
    if (this.#last.length < PIECES_AT_ONCE) return
    this.#before += this.#last.join('')
    this.#last = []
  }
}

const PIECES_AT_ONCE = 1_000

/** The keys of an object, and what is written for them, in their order. */
function sortNames(value: object): (readonly [key: string, name: string])[] {
  const keys = Object.keys(value)
  // without odd keys, sort() needs no comparator: 80,000 keys take 40 ms instead of 100
  if (!keys.some(hasIllegalUnicode)) return keys.sort().map((key) => [key, key])
  return keys
    .map((key) => [key, toSafeText(key)] as const)
    .sort(([, a], [, b]) => compareBytes(a, b))
}

const hasIllegalUnicode = (key: string) => /[\0\ud800-\uffff]/.test(key)

/** JSON of a finite number; `-0` keeps its sign. */
export const writeNumber = (value: number): string => (Object.is(value, -0) ? '-0' : String(value))

/** Whether the text is well-formed JSON within the nesting limit. */
export const isJson = (text: string): boolean =>
  !isTooComplex(text) && parseJson(text) !== undefined

/** Whether a text is JSON in which no object has a key twice. */
export function isUniqueJson(text: string): boolean {
  const value = isTooComplex(text) ? undefined : parseJson(text)
  return value !== undefined && !hasRepeatedName(text, value)
}

interface JsonBounds {
  readonly fields?: number
  readonly keys?: number
  readonly values?: number
  readonly parts?: number
}

/** Whether JSON text is nested too deeply or exceeds a bound. Scans the text once, without parsing it. */
export function isTooComplex(json: string, bounds: JsonBounds = {}): boolean {
  if (json.length <= MAX_DEPTH) return false
  let depth = 0
  const none = Infinity
  const { fields = none, keys = none, values = none, parts = none } = bounds
  const left = { fields, keys, values, parts }
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i)
    if (code === QUOTE) {
      i = findClosingQuote(json, i)
      left.parts--
    } else if (code === COMMA) left.values--
    else if (code === OPENING_LIST || code === OPENING_OBJECT) {
      depth++
      left.values--
      left.parts--
    } else if (code === CLOSING_LIST || code === CLOSING_OBJECT) depth--
    else if (code === COLON) {
      left.keys--
      if (depth === 1) left.fields--
    } else continue
    if (depth > MAX_DEPTH || Math.min(left.fields, left.keys, left.values, left.parts) < 0)
      return true
  }
  return false
}

/** Whether an object in well-formed JSON has a key twice. `value`: the parsed JSON. */
export function hasRepeatedName(json: string, value: unknown): boolean {
  let names = 0
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i)
    if (code === QUOTE) i = findClosingQuote(json, i)
    else if (code === COLON) names++
  }
  visitJsonParts(value, (part) => {
    if (!Array.isArray(part)) names -= Object.keys(part).length
  })
  return names !== 0
}

/** Whether a number in parsed JSON was too large for a double. */
export function hasInfinity(value: unknown): boolean {
  const isInfinite = (one: unknown) => one === Infinity || one === -Infinity
  let has = isInfinite(value)
  visitJsonParts(value, (part) => {
    has ||= Object.values(part).some(isInfinite)
  })
  return has
}

/** Visits all lists and objects in parsed JSON. Not recursive, and without a copy of each list. */
function visitJsonParts(value: unknown, visit: (part: object) => void): void {
  const left = [value]
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (typeof next !== 'object' || next === null) continue
    visit(next)
    const items = Array.isArray(next) ? next : Object.values(next)
    for (const item of items) if (typeof item === 'object' && item !== null) left.push(item)
  }
}

const [BLANK, QUOTE, COMMA, COLON, BACKSLASH] = [32, 34, 44, 58, 92]
const [OPENING_LIST, CLOSING_LIST, OPENING_OBJECT, CLOSING_OBJECT] = [91, 93, 123, 125]

/** Index of the quote that closes the string at `start`; the length of `json` if none does. */
export function findClosingQuote(json: string, start: number): number {
  for (let i = start + 1; i < json.length; i++) {
    const code = json.charCodeAt(i)
    if (code === QUOTE) return i
    if (code === BACKSLASH) i++
  }
  return json.length
}

const NUMBER = /^-?\d/

/** Removes blanks from well-formed JSON. A document that is just a number is printed as in SQLite. */
export function minifyJson(text: string): string {
  const hasEscapes = text.includes('\\u')
  let [written, from] = ['', 0]
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) {
      const start = i
      i = findClosingQuote(text, i)
      const token = hasEscapes ? text.slice(start, i + 1) : ''
      if (!token.includes('\\u')) continue
      written += text.slice(from, start) + cleanEscapes(token)
      from = i + 1
    } else if (code <= BLANK) {
      written += text.slice(from, i)
      from = i + 1
    }
  }
  written += text.slice(from)
  return NUMBER.test(written) ? reprintNumber(written) : written
}

const reprintNumber = (number: string) => {
  const value = Number(number)
  return Number.isFinite(value) ? String(value) : number
}

/** Replaces escapes of NUL and lone surrogates in a JSON string: Postgres cannot decode them. */
function cleanEscapes(token: string): string {
  const text = JSON.parse(token) as string
  return text.isWellFormed() && !text.includes('\0') ? token : JSON.stringify(toSafeText(text))
}
