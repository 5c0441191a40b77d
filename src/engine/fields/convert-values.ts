import { cleanText } from '../../platform/tools/clean-text.ts'
import { parseJson } from '../../platform/tools/json.ts'
import { isTooComplex } from './json-text.ts'

/** Length of a text in code points, as in PocketBase. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** A number as decimal text without exponent. Go: strconv.FormatFloat(n, 'f', -1, 64) */
export function formatPlainNumber(value: number): string {
  if (Object.is(value, -0)) return '-0'
  const text = String(value)
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text)
  if (!match) return text
  const [, sign, first, rest = '', power] = match
  const exponent = Number(power)
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${first}${rest}`
  return `${sign}${first}${rest.padEnd(exponent, '0')}`
}

/** An exponent as Go and C write it: `+06`. */
export const formatExponent = (exponent: number) =>
  (exponent < 0 ? '-' : '+') + String(Math.abs(exponent)).padStart(2, '0')

/**
 * The one way from a foreign value to text: that of a text, number, boolean or null; undefined for lists and
 * objects. `String()` would make `[object Object]` of them, or throw for `{"toString": 1}`.
 */
export function toScalarText(raw: unknown): string | undefined {
  if (typeof raw === 'string') return raw
  if (typeof raw === 'number') return formatPlainNumber(raw)
  if (typeof raw === 'boolean') return String(raw)
  return raw === null || raw === undefined ? '' : undefined
}

/** Text of a scalar; `''` for null, lists and objects. */
export const toText = (raw: unknown): string => cleanText(toScalarText(raw) ?? '')

const DECIMAL = /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i
const HEX = /^([+-]?)0x([\da-f]*)(?:\.([\da-f]*))?p([+-]?\d+)$/i
const INFINITY = /^([+-]?)inf(inity)?$/i

/** Converts a number, bool or numeric text to a number, anything else to 0. Go: github.com/spf13/cast */
export function toNumber(raw: unknown): number {
  if (typeof raw === 'number') return raw
  if (typeof raw === 'boolean') return Number(raw)
  return typeof raw === 'string' ? (parseNumber(raw) ?? 0) : 0
}

const UNDERSCORES = /(?<=\d)_(?=\d)/g

function dropUnderscores(text: string): string {
  if (!/^[+-]?0x/i.test(text)) return text.replace(UNDERSCORES, '')
  const power = text.search(/p|$/i)
  const mantissa = text.slice(0, power).replace(/_(?=[\da-f])/gi, '')
  return mantissa + text.slice(power).replace(UNDERSCORES, '')
}

/** Parses a number; undefined for other texts or if out of range. Go: strconv.ParseFloat */
export function parseNumber(written: string): number | undefined {
  const text = written.includes('_') ? dropUnderscores(written) : written
  if (DECIMAL.test(text)) return keepFinite(Number(text))
  const infinity = INFINITY.exec(text)
  if (infinity) return infinity[1] === '-' ? -Infinity : Infinity
  if (text.toLowerCase() === 'nan') return Number.NaN
  const hex = HEX.exec(text)
  if (!hex) return undefined
  const [, sign, whole, fraction = '', power] = hex
  if (whole === '' && fraction === '') return undefined
  const mantissa = Number.parseInt(`${whole}${fraction}`, 16)
  return keepFinite((sign === '-' ? -1 : 1) * mantissa * 2 ** (Number(power) - 4 * fraction.length))
}

const keepFinite = (value: number) => (Number.isFinite(value) ? value : undefined)

const TRUE_WORDS: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True'])
const FALSE_WORDS: ReadonlySet<string> = new Set(['0', 'f', 'F', 'false', 'FALSE', 'False'])

/** Parses a bool; undefined for other texts. Go: strconv.ParseBool */
export const readBool = (text: string): boolean | undefined =>
  TRUE_WORDS.has(text) || (FALSE_WORDS.has(text) ? false : undefined)

/** True for texts that Go reads as true and for numbers other than 0. */
export function toBool(raw: unknown): boolean {
  if (typeof raw === 'boolean') return raw
  if (typeof raw === 'number') return raw !== 0
  return typeof raw === 'string' && TRUE_WORDS.has(raw)
}

/** A list, scalar or JSON array as unique texts. PocketBase: tools/list/list.go, ToUniqueStringSlice */
export function toTexts(raw: unknown): string[] {
  const texts =
    typeof raw === 'string' ? splitText(raw) : Array.isArray(raw) ? listTexts(raw) : [toText(raw)]
  return [...new Set(texts.map(cleanText))].filter((text) => text !== '')
}

/** Maximum characters of a list's texts. Go writes 1e308 with 309 digits. */
const MAX_LIST_CHARACTERS = 4 << 20

function listTexts(list: readonly unknown[]): string[] {
  const texts: string[] = []
  let characters = 0
  for (const item of list) {
    const text = toScalarText(item)
    characters += text?.length ?? 0
    if (text === undefined || characters > MAX_LIST_CHARACTERS) return []
    texts.push(text)
  }
  return texts
}

const LIST_BOUNDS = { parts: 100_000, values: 100_000 }

/**
 * The items of a JSON array of texts; otherwise the text itself. If only some items are texts, returns them
 * and the text itself, as Go does.
 */
function splitText(text: string): string[] {
  if (!text.includes('[')) return [text]
  const list = isTooComplex(text, LIST_BOUNDS) ? undefined : parseJson(text)
  if (!Array.isArray(list)) return [text]
  const texts = list.map((item) => (typeof item === 'string' ? item : ''))
  return list.every((item) => item === null || typeof item === 'string') ? texts : [...texts, text]
}
