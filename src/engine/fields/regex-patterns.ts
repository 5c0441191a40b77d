import { randomInt } from 'node:crypto'
import { RE2JS } from 're2js'
import { Lru } from '../../platform/tools/lru.ts'

/** A pattern that is compiled at its first use: the one of URLs takes 30 ms. */
export function compileAtFirstUse(pattern: string): () => RE2JS {
  let program: RE2JS | undefined
  return () => {
    program ??= RE2JS.compile(pattern)
    return program
  }
}

const MAX_LENGTH = 5_000
/** Maximum instructions of a compiled pattern. A match may take this many steps for each character. */
const MAX_INSTRUCTIONS = 1_000

/** By pattern: the compiled pattern or, if it is invalid or too expensive, an error message. */
const compiled = new Lru<string, RE2JS | string>(1_000)

const TOO_LONG = `The pattern is longer than ${MAX_LENGTH} characters.`
const TOO_EXPENSIVE = `The pattern is too expensive: it compiles to more than ${MAX_INSTRUCTIONS} instructions. Use smaller repetition counts.`

/** The sum of counts such as `{1000}`. Tested before compiling: a pattern with 17 of these takes 0.2 s. */
const countRepetitions = (pattern: string): number =>
  [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].reduce(
    (sum, [, min, max]) => sum + Number(max || min),
    0,
  )

function compilePattern(pattern: string): RE2JS | string {
  if (pattern.length > MAX_LENGTH) return TOO_LONG
  if (countRepetitions(pattern) > MAX_INSTRUCTIONS) return TOO_EXPENSIVE
  try {
    const program = RE2JS.compile(pattern)
    return program.programSize() <= MAX_INSTRUCTIONS ? program : TOO_EXPENSIVE
  } catch (error) {
    const { message } = error as Error
    return message.includes(': `') ? message : `${message}: \`\``
  }
}

const findPattern = (pattern: string) =>
  compiled.get(pattern) ?? compiled.set(pattern, compilePattern(pattern))

/** Why a pattern is invalid or too expensive; undefined when it is fine. */
export function findPatternError(pattern: string): string | undefined {
  const found = findPattern(pattern)
  return typeof found === 'string' ? found : undefined
}

/** Whether a pattern in Go's syntax matches anywhere in the text. Takes linear time: 0.7 µs for an id. */
export function matchesPattern(pattern: string, text: string): boolean {
  const found = findPattern(pattern)
  return typeof found !== 'string' && found.test(text)
}

type Generate = () => string
type Ranges = readonly (readonly [first: number, last: number])[]

/** `*` and `+` generate fewer repetitions than this. PocketBase: tools/security/random_by_regex.go */
const MAX_REPEAT = 6
const MAX_CODE_POINT = 0x10ffff

const toCodePointRanges = (...pairs: readonly string[]): Ranges =>
  pairs.map(([first, last = first]) => [first!.codePointAt(0)!, last!.codePointAt(0)!])

const [DIGIT, WORD, SPACE] = [
  toCodePointRanges('09'),
  toCodePointRanges('09', 'AZ', '_', 'az'),
  toCodePointRanges('\t\n', '\f\r', ' '),
]
const ANY = toCodePointRanges('AZ', 'az', '09')
const CLASSES: Readonly<Record<string, Ranges>> = {
  d: DIGIT,
  w: WORD,
  s: SPACE,
  D: invertRanges(DIGIT),
  W: invertRanges(WORD),
  S: invertRanges(SPACE),
}
const CHARACTERS: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  f: '\f',
  v: '\v',
  a: '\x07',
}

const readers = new Map<string, Generate>()

/** A random text for a pattern in Go's syntax, without anchors. `{1,5}` repeats 1 to 4 times. */
export function generateText(pattern: string): string {
  let generate = readers.get(pattern)
  if (!generate) {
    const error = findPatternError(pattern)
    if (error) throw new Error(error)
    generate = new PatternReader(pattern).read()
    readers.set(pattern, generate)
  }
  return generate()
}

function makeCharacterPicker(ranges: Ranges): Generate {
  const count = ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0)
  return () => {
    let index = randomInt(count)
    for (const [first, last] of ranges) {
      if (index <= last - first) return String.fromCodePoint(first + index)
      index -= last - first + 1
    }
    throw new Error('no runes to choose from')
  }
}

function invertRanges(ranges: Ranges): Ranges {
  const gaps: [number, number][] = []
  let next = 0
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    if (first > next) gaps.push([next, first - 1])
    next = Math.max(next, last + 1)
  }
  return next <= MAX_CODE_POINT ? [...gaps, [next, MAX_CODE_POINT]] : gaps
}

const makeUnsupportedError = (what: string) =>
  new Error(`${what} is not supported in a pattern that generates text`)

class PatternReader {
  #rest: string

  constructor(pattern: string) {
    this.#rest = pattern
  }

  read(): Generate {
    const branches = [this.#sequence()]
    while (this.#take(/^\|/)) branches.push(this.#sequence())
    return branches.length === 1 ? branches[0]! : () => branches[randomInt(branches.length)]!()
  }

  #take(form: RegExp): RegExpExecArray | null {
    const found = form.exec(this.#rest)
    if (found) this.#rest = this.#rest.slice(found[0].length)
    return found
  }

  #sequence(): Generate {
    const parts: Generate[] = []
    while (!/^(?:[|)]|$)/.test(this.#rest)) parts.push(this.#repeated(this.#atom()))
    if (parts.length === 0) throw new Error('unsupported pattern operator 2')
    return parts.length === 1 ? parts[0]! : () => parts.map((part) => part()).join('')
  }

  #atom(): Generate {
    if (this.#take(/^\((?:\?(?:P?<\w+>|:))?/)) return this.#group()
    if (this.#take(/^\[/)) return this.#class()
    if (this.#take(/^\./)) return makeCharacterPicker(ANY)
    if (/^[\^$]/.test(this.#rest))
      throw new Error(`unsupported pattern operator ${this.#take(/^\^/) ? 9 : 10}`)
    return makeCharacterPicker(this.#characters())
  }

  #group(): Generate {
    const flags = this.#take(/^\?./)
    if (flags) throw makeUnsupportedError(`(${flags[0]}`)
    const inside = this.read()
    this.#take(/^\)/)
    return inside
  }

  #repeated(part: Generate): Generate {
    const found = this.#take(/^(?:([*+?])|\{(\d+)(,(\d*))?\})\??/)
    if (!found) return part
    const [, sign, least = sign === '+' ? 1 : 0, more, most] = found
    const min = Number(least)
    const isExact = sign === undefined && more === undefined
    const max = sign === '?' ? 1 : isExact ? min : Number(most || Math.max(MAX_REPEAT, min))
    return () => {
      const length = max > min ? min + randomInt(max - min) : min
      return Array.from({ length }, part).join('')
    }
  }

  #class(): Generate {
    const isNegated = this.#take(/^\^/) !== null
    const ranges: (readonly [number, number])[] = []
    do {
      if (this.#rest.startsWith('[:')) throw makeUnsupportedError('[:')
      // a class begins no range: the `-` in `\w-.` is a plain character
      const isClass = /^\\[dwsDWS]/.test(this.#rest)
      const first = this.#characters()
      const last = !isClass && this.#take(/^-(?!\])/) ? this.#characters() : undefined
      ranges.push(...(last ? [[first[0]![0], last[0]![1]] as const] : first))
    } while (!this.#take(/^\]/))
    return makeCharacterPicker(isNegated ? invertRanges(ranges) : ranges)
  }

  #characters(): Ranges {
    const hex = this.#take(/^\\x(?:\{([0-9a-f]+)\}|([0-9a-f]{2}))/i)
    if (hex)
      return toCodePointRanges(String.fromCodePoint(Number.parseInt((hex[1] ?? hex[2])!, 16)))
    const [, slash, letter] = this.#take(/^(\\?)(.)/su)!
    if (!slash) return toCodePointRanges(letter!)
    if (/[AzbBpPQC0-7]/.test(letter!)) throw makeUnsupportedError(`\\${letter}`)
    return CLASSES[letter!] ?? toCodePointRanges(CHARACTERS[letter!] ?? letter!)
  }
}
