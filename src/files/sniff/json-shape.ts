/**
 * Values that are looked for in a JSON text: one at any of the paths, and any of the values if some are
 * given.
 */
interface Query {
  readonly paths: readonly string[]
  readonly values?: readonly string[]
}

const GEO_TYPES = [
  ...['Feature', 'FeatureCollection', 'Point', 'LineString', 'Polygon'],
  ...['MultiPoint', 'MultiLineString', 'MultiPolygon', 'GeometryCollection'],
]

/** What tells some formats from other JSON. Paths are keys, joined by a NUL. */
export const JSON_QUERIES = {
  geo: { paths: ['type'], values: GEO_TYPES.map((type) => `"${type}"`) },
  har: { paths: ['log\0version', 'log\0creator', 'log\0entries'] },
  gltf: { paths: ['asset\0version'], values: ['"1.0"', '"2.0"'] },
} as const satisfies Record<string, Query>

const MAX_DEPTH = 4096
const SPACE = /[ \t\r\n]*/y
const NUMBER_PARTS = [/-?/y, /\d*/y, /\.?/y, /\d*/y]

/**
 * Reads the JSON text at the beginning of a file, which may be cut anywhere: `seen` is how much was looked at
 * before a fault, so all of it if there is none but the cut. A reader of its own, as none tells that. What it
 * takes and what not is PocketBase's: mimetype's internal/json
 */
export class JsonShape {
  readonly #text: string
  readonly #query: Query | undefined
  #path: string[] = []
  seen = 0
  /** Where the text was read to. */
  readonly end: number
  found: boolean
  /** The first character of the outermost value. */
  first = ''

  constructor(text: string, query?: Query) {
    this.#text = text
    this.#query = query
    this.found = query === undefined
    this.end = this.#any(0, 0)
  }

  /** Each of these answers where it came to; where it began if there is nothing that it can read. */
  #any(from: number, depth: number): number {
    if (depth > MAX_DEPTH) return from
    const at = this.#space(from)
    const c = this.#text[at]
    if (c === undefined) return from
    if (depth === 0) this.first = c
    const isOpening = c === '"' || c === '[' || c === '{'
    if (isOpening) this.seen++
    const inner = isOpening ? at + 1 : at
    const end = this.#value(c, inner, depth)
    return end > inner ? this.#space(end) : inner
  }

  #value(c: string, at: number, depth: number): number {
    if (c === '"') return this.#string(at)
    if (c === '[') return this.#array(at, depth + 1)
    if (c === '{') return this.#object(at, depth + 1)
    const word = WORDS[c]
    return word ? this.#word(at, word) : this.#number(at)
  }

  #space(from: number): number {
    SPACE.lastIndex = from
    const { length } = SPACE.exec(this.#text)![0]
    this.seen += length
    return from + length
  }

  #word(from: number, word: string): number {
    for (let i = 0; i < word.length; i++) {
      if (this.#text[from + i] !== word[i]) return from
      this.seen++
    }
    return from + word.length
  }

  #string(from: number): number {
    for (let at = from; at < this.#text.length; ) {
      const c = this.#text[at++]
      this.seen++
      if (c === '"') return at
      if (c !== '\\') continue
      const escaped = this.#text[at]
      if (escaped === undefined || !'"\\/bfnrtu'.includes(escaped)) return from
      at++
      this.seen++
      if (escaped !== 'u') continue
      for (let i = 0; i < 4 && at < this.#text.length; i++, at++, this.seen++) {
        if (!/[\da-fA-F]/.test(this.#text[at]!)) return from
      }
    }
    return from
  }

  #number(from: number): number {
    let at = from
    let digits = 0
    for (const part of NUMBER_PARTS) {
      part.lastIndex = at
      const text = part.exec(this.#text)![0]
      at += text.length
      if (/\d/.test(text)) digits += text.length
    }
    const exponent =
      digits > 0 && at < this.#text.length ? /^[eE][+-]?\d*/.exec(this.#text.slice(at, at + 400))?.[0] : ''
    if (exponent) {
      at += exponent.length
      digits = /\d/.test(exponent) ? 1 : 0
    }
    this.seen += at - from
    return digits > 0 ? at : from
  }

  #array(from: number, depth: number): number {
    this.#path.push('[')
    for (let at = from; at < this.#text.length; ) {
      at = this.#space(at)
      if (this.#text[at] === ']') {
        this.seen++
        this.#path.pop()
        return at + 1
      }
      const end = at < this.#text.length ? this.#any(at, depth) : at
      const c = end > at ? this.#text[end] : undefined
      if (c !== ',' && c !== ']') return from
      this.seen++
      at = end + 1
      // to the letter: the path keeps its mark when a list has had a value
      if (c === ']') return at
    }
    return from
  }

  #object(from: number, depth: number): number {
    for (let at = from; at < this.#text.length; ) {
      at = this.#space(at)
      if (this.#text[at] === '}') {
        this.seen++
        return at + 1
      }
      const value = this.#key(at)
      if (value === undefined) return from
      const isWanted = this.#query?.paths.includes(this.#path.join('\0')) ?? false
      const end = this.#any(value, depth)
      if (end === value) return from
      if (isWanted && this.#isSought(this.#text.slice(value, end).trim())) this.found = true
      const c = this.#text[end]
      if (c !== ',' && c !== '}') return from
      this.#path.pop()
      this.seen++
      at = end + 1
      if (c === '}') return at
    }
    return from
  }

  /** A key and its colon; answers where the value begins, undefined if there is none. */
  #key(at: number): number | undefined {
    if (this.#text[at] !== '"') return undefined
    this.seen++
    const end = this.#string(at + 1)
    if (end === at + 1) return undefined
    this.#path.push(this.#text.slice(at + 1, end - 1))
    const colon = this.#space(end)
    if (this.#text[colon] !== ':') return undefined
    this.seen++
    const value = this.#space(colon + 1)
    return value < this.#text.length ? value : undefined
  }

  #isSought(value: string): boolean {
    const { values } = this.#query!
    return values === undefined || values.includes(value)
  }
}

const WORDS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' }
