import { randomBelow } from '../../tools/random.ts'
import { patternError } from '../values/pattern.ts'

/** A part of a pattern that text can be generated for. Ranges are inclusive pairs of code points. */
type Part =
  | { kind: 'literal'; text: string }
  | { kind: 'class'; ranges: readonly [number, number][] }
  | { kind: 'repeat'; part: Part; min: number; max: number }
  | { kind: 'sequence'; parts: readonly Part[] }
  | { kind: 'choice'; parts: readonly Part[] }

/** Maximum repetitions of `*` and `+`. PocketBase: tools/security/random_by_regex.go */
const MAX_REPEAT = 6
const MAX_CODE_POINT = 0x10ffff

const DIGIT: [number, number][] = [[48, 57]]
const WORD: [number, number][] = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
]
const SPACE: [number, number][] = [
  [9, 10],
  [12, 13],
  [32, 32],
]
const ANY: [number, number][] = [
  [65, 90],
  [97, 122],
  [48, 57],
]
const ESCAPED_CLASSES: Record<string, readonly [number, number][]> = {
  d: DIGIT,
  w: WORD,
  s: SPACE,
  D: invert(DIGIT),
  W: invert(WORD),
  S: invert(SPACE),
}
const ESCAPED_CHARACTERS: Record<string, string> = { n: '\n', t: '\t', r: '\r', f: '\f', v: '\v', a: '\x07' }

const parsed = new Map<string, Part>()

/** A random text for a pattern in Go's syntax, without anchors. Upper bounds are never reached. */
export function generateText(pattern: string): string {
  let part = parsed.get(pattern)
  if (!part) {
    const error = patternError(pattern)
    if (error) throw new Error(error)
    part = new PatternReader(pattern).read()
    parsed.set(pattern, part)
  }
  return write(part)
}

function write(part: Part): string {
  switch (part.kind) {
    case 'literal':
      return part.text
    case 'class':
      return pick(part.ranges)
    case 'choice':
      return write(part.parts[randomBelow(part.parts.length)]!)
    case 'sequence':
      return part.parts.map(write).join('')
    case 'repeat': {
      const count = part.max > part.min ? part.min + randomBelow(part.max - part.min) : part.min
      return Array.from({ length: count }, () => write(part.part)).join('')
    }
  }
}

function pick(ranges: readonly [number, number][]): string {
  const total = ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0)
  let index = randomBelow(total)
  for (const [first, last] of ranges) {
    if (index <= last - first) return String.fromCodePoint(first + index)
    index -= last - first + 1
  }
  throw new Error('no runes to choose from')
}

function invert(ranges: readonly [number, number][]): [number, number][] {
  const gaps: [number, number][] = []
  let next = 0
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    if (first > next) gaps.push([next, first - 1])
    next = Math.max(next, last + 1)
  }
  if (next <= MAX_CODE_POINT) gaps.push([next, MAX_CODE_POINT])
  return gaps
}

const unsupported = (what: string) => new Error(`${what} is not supported in a pattern that generates text`)

/** Reads a valid pattern. Its only state is the position. */
class PatternReader {
  readonly #characters: readonly string[]
  #at = 0

  constructor(pattern: string) {
    this.#characters = [...pattern]
  }

  read(): Part {
    const branches = [this.#sequence()]
    while (this.#accept('|')) branches.push(this.#sequence())
    return branches.length === 1 ? branches[0]! : { kind: 'choice', parts: branches }
  }

  get #next(): string | undefined {
    return this.#characters[this.#at]
  }

  #take(): string {
    return this.#characters[this.#at++]!
  }

  #accept(character: string): boolean {
    if (this.#next !== character) return false
    this.#at++
    return true
  }

  #sequence(): Part {
    const parts: Part[] = []
    while (this.#next !== undefined && this.#next !== '|' && this.#next !== ')')
      parts.push(this.#repeated(this.#atom()))
    if (parts.length === 0) throw new Error('unsupported pattern operator 2')
    return parts.length === 1 ? parts[0]! : { kind: 'sequence', parts }
  }

  #atom(): Part {
    const character = this.#take()
    if (character === '(') return this.#group()
    if (character === '[') return { kind: 'class', ranges: this.#class() }
    if (character === '.') return { kind: 'class', ranges: ANY }
    if (character === '^' || character === '$')
      throw new Error(`unsupported pattern operator ${character === '^' ? 9 : 10}`)
    if (character !== '\\') return { kind: 'literal', text: character }
    return this.#escape()
  }

  #group(): Part {
    if (this.#accept('?')) {
      const head = this.#take()
      if (head === 'P' || head === '<') while (this.#take() !== '>');
      else if (head !== ':') throw unsupported(`(?${head}`)
    }
    const part = this.read()
    this.#accept(')')
    return part
  }

  #escape(): Part {
    const escaped = this.#escaped()
    if (typeof escaped === 'number') return { kind: 'literal', text: String.fromCodePoint(escaped) }
    return { kind: 'class', ranges: escaped }
  }

  /** After a backslash: a class or a code point. */
  #escaped(): number | readonly [number, number][] {
    const letter = this.#take()
    if (letter === 'x') return this.#hex()
    const ranges = ESCAPED_CLASSES[letter]
    if (ranges) return ranges
    if (/[AzbBpPQC0-7]/.test(letter)) throw unsupported(`\\${letter}`)
    return (ESCAPED_CHARACTERS[letter] ?? letter).codePointAt(0)!
  }

  /** `\x41` or `\x{1F600}`, after the x. */
  #hex(): number {
    const digits = /^(?:\{([0-9a-fA-F]+)\}|([0-9a-fA-F]{2}))/.exec(this.#rest)!
    this.#at += digits[0].length
    return Number.parseInt((digits[1] ?? digits[2])!, 16)
  }

  get #rest(): string {
    return this.#characters.slice(this.#at, this.#at + 12).join('')
  }

  #repeated(part: Part): Part {
    const bounds = this.#bounds()
    if (!bounds) return part
    this.#accept('?')
    const [min, max] = bounds
    return { kind: 'repeat', part, min, max: max ?? Math.max(MAX_REPEAT, min) }
  }

  #bounds(): [number, number | undefined] | undefined {
    if (this.#accept('*')) return [0, undefined]
    if (this.#accept('+')) return [1, undefined]
    if (this.#accept('?')) return [0, 1]
    const match = /^\{(\d+)(,(\d*))?\}/.exec(this.#rest)
    if (!match) return undefined
    this.#at += match[0].length
    const min = Number(match[1])
    if (match[2] === undefined) return [min, min]
    return [min, match[3] ? Number(match[3]) : undefined]
  }

  #class(): readonly [number, number][] {
    const negated = this.#accept('^')
    const ranges: [number, number][] = []
    do ranges.push(...this.#classItem())
    while (this.#next !== ']')
    this.#at++
    return negated ? invert(ranges) : ranges
  }

  #classItem(): readonly [number, number][] {
    const first = this.#classCharacter()
    if (typeof first !== 'number') return first
    const isRange = this.#next === '-' && this.#characters[this.#at + 1] !== ']'
    if (!isRange) return [[first, first]]
    this.#at++
    const last = this.#classCharacter()
    return [[first, last as number]]
  }

  #classCharacter(): number | readonly [number, number][] {
    if (this.#rest.startsWith('[:')) throw unsupported('[:')
    const character = this.#take()
    return character === '\\' ? this.#escaped() : character.codePointAt(0)!
  }
}
