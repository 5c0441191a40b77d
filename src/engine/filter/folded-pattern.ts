import { cleanText } from '../../platform/tools/clean-text.ts'
import { foldText } from '../../portable/fold-text.ts'
import { formatGoText, type Scalar } from './convert-scalars.ts'

/** Frequent letters that `foldText` takes for one, each after the letter that it makes of them. */
const FAMILIES =
  'aàáâãäåą cçćč dďđ eéèêëęě gğ iìíîïı lł nñńň oòóôõöøő rř sšśş tť uùúûüůű yýÿ zžźż σς αά εέ ηή ιίϊΐ οό υύϋΰ ωώ её ийії уў'.split(
    ' ',
  )
const FAMILY = new Map(FAMILIES.map((family) => [family[0]!, family] as const))

/** Pairs of letters that other texts write as one. */
const JOINED = [
  ['s', 's', 'ßẞ'],
  ['a', 'e', 'æÆ'],
  ['o', 'e', 'œŒ'],
  ['\u0e4d', '\u0e32', '\u0e33'],
  ['\u0ecd', '\u0eb2', '\u0eb3'],
] as const

/** Maximum trigrams of an expression that Postgres searches an index for: MAX_TRGM_COUNT of pg_trgm. */
const MAX_TRIGRAMS = 256

/** A longer text is found nowhere: Postgres would take long to read its regular expression. */
const MAX_CHARACTERS = 200

/**
 * A regular expression for the texts that contain a text as `foldText` writes both. Each letter becomes a
 * class of letters: Postgres can search an index of trigrams for those. Texts with other characters must be
 * written by `pb_plain` first, as `pb_is_odd` says.
 */
export function writeFoldedPattern(value: Scalar): string | null {
  if (value === null) return null
  const text = cleanText(formatGoText(value))
  if (text.length > MAX_CHARACTERS) return null
  const letters = [...foldText(text)]
  const plain = findInnerVowel(letters)
  let pattern = ''
  for (let at = 0; at < letters.length; at++) {
    const pair = JOINED.find(([one, other]) => one === letters[at] && other === letters[at + 1])
    const single = (i: number) => writeLetterClass(letters[i]!, i === plain)
    pattern += pair ? `(?:${single(at)}${single(++at)}|[${pair[2]}])` : single(at)
  }
  return pattern
}

/**
 * The letter that is compared without accents, so that an index can be searched for a text whose trigrams
 * would all be too many, such as `eau`: its second letter. -1 for most texts.
 */
function findInnerVowel(letters: readonly string[]): number {
  const sizes = letters.map((letter) => FAMILY.get(letter)?.length ?? 1)
  const trigrams = sizes.slice(2).map((size, at) => sizes[at]! * sizes[at + 1]! * size)
  return trigrams.length > 0 && trigrams.every((count) => count > MAX_TRIGRAMS) ? 1 : -1
}

/** The blanks that `foldText` writes as one. */
const BLANKS = '[\\s\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u2800\\u3000]+'

function writeLetterClass(letter: string, isPlain = false): string {
  if (letter === ' ') return BLANKS
  if (/[!-/:-@[-`{-~]/.test(letter)) return `[\\${letter}${toWide(letter)}]`
  const all = [...((!isPlain && FAMILY.get(letter)) || letter)].flatMap((one) => [
    one,
    one.toUpperCase(),
  ])
  const single = [...new Set(all)].filter((one) => [...one].length === 1)
  return single.length > 1 ? `[${single.join('')}]` : letter
}

/** The wide form of a sign of ASCII, which texts in Chinese and Japanese have. */
const toWide = (sign: string): string => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)
