import { parseJson } from '../tools/json.ts'

/** Maximum nesting of JSON, which is SQLite's limit. Postgres fails somewhere above 6,000. */
const MAX_DEPTH = 1000

/** Replaces lone surrogates and NUL by U+FFFD: Postgres would later refuse the whole document. */
const safeText = (text: string) => text.toWellFormed().replaceAll('\0', '\ufffd')

/** Compares by UTF-8 bytes, as Go does. UTF-16 order differs only for surrogates and U+E000 and above. */
export function byBytes(a: string, b: string): number {
  if (/[\ud800-\uffff]/.test(a) && /[\ud800-\uffff]/.test(b))
    return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a < b ? -1 : a > b ? 1 : 0
}

/** JSON with keys in byte order, without spaces. Go: encoding/json.Marshal */
export function writeSorted(value: unknown, depth = 0): string {
  if (typeof value === 'string') return JSON.stringify(safeText(value))
  if (typeof value === 'number') return writeNumber(value)
  if (typeof value === 'boolean') return String(value)
  if (value === null || typeof value !== 'object' || depth > MAX_DEPTH) return 'null'
  if (Array.isArray(value)) return `[${value.map((item) => writeSorted(item, depth + 1)).join(',')}]`
  return writeObject(value as Readonly<Record<string, unknown>>, depth)
}

function writeObject(value: Readonly<Record<string, unknown>>, depth: number): string {
  const keys = Object.keys(value)
  const member = (key: string, name: string) =>
    `${JSON.stringify(name)}:${writeSorted(value[key], depth + 1)}`
  // without odd keys, sort() needs no comparator: 80,000 keys take 40 ms instead of 100
  if (!keys.some(isOddKey))
    return `{${keys
      .sort()
      .map((key) => member(key, key))
      .join(',')}}`
  const named = keys.map((key) => [key, safeText(key)] as const)
  named.sort(([, a], [, b]) => byBytes(a, b))
  return `{${named.map(([key, name]) => member(key, name)).join(',')}}`
}

const isOddKey = (key: string) => /[\0\ud800-\uffff]/.test(key)

/** JSON of a finite number; `-0` keeps its sign. */
export const writeNumber = (value: number): string => (Object.is(value, -0) ? '-0' : String(value))

/** Whether the text is well-formed JSON within the nesting limit. */
export const isJson = (text: string): boolean => parseJson(text) !== undefined && !isTooComplex(text)

interface JsonBounds {
  readonly fields?: number
  readonly keys?: number
  readonly values?: number
}

/** Whether JSON text is nested too deeply or exceeds a bound. Scans the text once, without parsing it. */
export function isTooComplex(json: string, { fields, keys, values }: JsonBounds = {}): boolean {
  if (json.length <= MAX_DEPTH) return false
  let depth = 0
  const left = { fields: fields ?? Infinity, keys: keys ?? Infinity, values: values ?? Infinity }
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i)
    if (code === QUOTE) i = closingQuote(json, i)
    else if (code === COMMA) left.values--
    else if (code === OPENING_LIST || code === OPENING_OBJECT) {
      depth++
      left.values--
    } else if (code === CLOSING_LIST || code === CLOSING_OBJECT) depth--
    else if (code === COLON) {
      left.keys--
      if (depth === 1) left.fields--
    } else continue
    if (depth > MAX_DEPTH || Math.min(left.fields, left.keys, left.values) < 0) return true
  }
  return false
}

/** Whether an object in well-formed JSON has a key twice. `value`: the parsed JSON. */
export function hasNameTwice(json: string, value: unknown): boolean {
  let names = 0
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i)
    if (code === QUOTE) i = closingQuote(json, i)
    else if (code === COLON) names++
  }
  return names !== countKeys(value)
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let keys = Array.isArray(value) ? 0 : Object.keys(value).length
  for (const item of Object.values(value)) keys += countKeys(item)
  return keys
}

const [QUOTE, COMMA, COLON, BACKSLASH] = [34, 44, 58, 92]
const [OPENING_LIST, CLOSING_LIST, OPENING_OBJECT, CLOSING_OBJECT] = [91, 93, 123, 125]

/** Index of the quote that closes the string at `start`; the length of `json` if none does. */
export function closingQuote(json: string, start: number): number {
  for (let i = start + 1; i < json.length; i++) {
    const code = json.charCodeAt(i)
    if (code === QUOTE) return i
    if (code === BACKSLASH) i++
  }
  return json.length
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g
const NUMBER = /^-?\d/

/** Removes spaces from well-formed JSON. A document that is just a number is printed as in SQLite. */
export function minify(text: string): string {
  const tokens = text.match(TOKEN) ?? []
  if (tokens.length === 1 && NUMBER.test(tokens[0]!)) return reprint(tokens[0]!)
  return tokens
    .map((token) => (token[0] === '"' && token.includes('\\u') ? cleanEscapes(token) : token))
    .join('')
}

const reprint = (number: string) => {
  const value = Number(number)
  return Number.isFinite(value) ? String(value) : number
}

/** Replaces escapes of NUL and lone surrogates in a JSON string: Postgres cannot decode them. */
function cleanEscapes(token: string): string {
  const text = JSON.parse(token) as string
  return text.isWellFormed() && !text.includes('\0') ? token : JSON.stringify(safeText(text))
}
