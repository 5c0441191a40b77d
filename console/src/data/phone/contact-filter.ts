import { phonePart } from '#portable/phone/format.ts'
import { pb } from '../client.ts'

/** A filter for contacts by part of the name or number. `country` is for numbers without calling code. */
export const contactFilter = (text: string, country: string): string =>
  [nameFilter(text), ...numberFilter('phone', text, country)].join(' || ')

/** A filter that finds conversations by a part of the name, the number or the last text. */
export const conversationFilter = (text: string, country: string): string =>
  [...[nameFilter(text), textFilter('last_text', text)], ...numberFilter('number', text, country)].join(
    ' || ',
  )

/** A filter for names with all words of a text. Ignores case and one accent per word: `jorg` finds Jörg. */
export function nameFilter(text: string): string {
  const words = text.trim().split(/\s+/)
  const folded = eachOf(words, (word) => [...casesOf(word), ...accentsOf(word)])
  return folded.length <= MAX_CHARACTERS ? folded : eachOf(words, casesOf)
}

const eachOf = (words: readonly string[], formsOf: (word: string) => readonly string[]): string =>
  words.map((word) => `(${anyOf('name', formsOf(word))})`).join(' && ')

const textFilter = (field: 'name' | 'last_text', text: string): string => anyOf(field, casesOf(text))

const anyOf = (field: 'name' | 'last_text', parts: readonly string[]): string =>
  [...new Set(parts)].map((part) => pb.filter(`${field} ~ {:part}`, { part })).join(' || ')

/** Maximum length of a name filter. The server allows 3,500 bytes, and a query may have further filters. */
const MAX_CHARACTERS = 2_500

/** Matches a 0 and at least two more digits. The search keeps this 0: it may be inside a number. */
const WITH_ZERO = /^0(?:\s*\d){2,}$/

/** Filters that find numbers by a typed part; none if the text cannot be part of a number. */
function numberFilter(field: 'phone' | 'number', text: string, country: string): string[] {
  const digits = WITH_ZERO.test(text) ? text.replace(/\s/g, '') : ''
  const parts = [phonePart(text, country), digits].filter(Boolean)
  return parts.map((part) => pb.filter(`${field} ~ {:part}`, { part }))
}

/**
 * The usual spellings of a text: `ünal`, `Ünal`, `ÜNAL`. Only the text itself if its letters are ASCII,
 * because filters ignore the case of ASCII letters.
 */
function casesOf(text: string): readonly string[] {
  const lower = text.toLocaleLowerCase()
  const capital = lower.replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toLocaleUpperCase())
  const all = [text, lower, capital, text.toLocaleUpperCase()]
  const folded = (part: string) => part.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return [...new Map(all.map((part) => [folded(part), part])).values()]
}

const ACCENTED: Readonly<Record<string, string>> = {
  a: 'äáàâãåą',
  c: 'çćč',
  d: 'ď',
  e: 'éèêëęě',
  g: 'ğ',
  i: 'íìîïı',
  l: 'ł',
  n: 'ñńň',
  o: 'öóòôõøő',
  r: 'ř',
  s: 'šśş',
  t: 'ť',
  u: 'üúùûůű',
  y: 'ýÿ',
  z: 'žźż',
}

/**
 * The word without accents, and all words with one accent more: `jorg`, `jörg`, `jórg`, … Adds a capital
 * form if the first letter has the accent, because filters ignore case only for ASCII letters.
 */
function accentsOf(word: string): readonly string[] {
  const small = word.toLowerCase().normalize('NFC')
  const letters = [...small]
  const accented = letters.flatMap((letter, at) =>
    [...(ACCENTED[letter] ?? '')].map((other) => letters.with(at, other).join('')),
  )
  const capital = accented.filter((other) => other[0]! > '~').map(capitalized)
  return [small.normalize('NFD').replace(/\p{M}/gu, ''), ...accented, ...capital]
}

const capitalized = (word: string) => word[0]!.toUpperCase() + word.slice(1)
