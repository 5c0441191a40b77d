import { cleanText } from '../../platform/tools/clean-text.ts'
import { formatGoText, type Scalar } from './convert-scalars.ts'

/** Letters that `:fold` takes for one, each after its letter without an accent. */
const FAMILIES =
  'aàáâãäåą cçćč dď eéèêëęě gğ iìíîïı lł nñńň oòóôõöøő rř sšśş tť uùúûüůű yýÿ zžźż σς её иі'.split(
    ' ',
  )
const FAMILY = new Map(
  FAMILIES.flatMap((family) => [...family].map((letter) => [letter, family] as const)),
)

/** Maximum trigrams of an expression that Postgres searches an index for: MAX_TRGM_COUNT of pg_trgm. */
const MAX_TRIGRAMS = 256

/** A longer text is found nowhere: Postgres would take long to read its regular expression. */
const MAX_CHARACTERS = 200

/**
 * A regular expression for the texts that contain a text, in any case and with any accents. Each letter
 * becomes a class of letters: Postgres can search an index of trigrams for those.
 */
export function writeFoldedPattern(value: Scalar): string | null {
  if (value === null) return null
  const text = cleanText(formatGoText(value)).normalize('NFC')
  if (text.length > MAX_CHARACTERS) return null
  // a dot for İ, whose small letter has a dot of its own in some databases and none in others
  const letters = text.replaceAll('İ', '\0').toLowerCase().replaceAll('ß', 'ss')
  const plain = findInnerVowel([...letters])
  const classes = [...letters].map((letter, at) =>
    letter === '\0' ? '.' : writeLetterClass(letter, at === plain),
  )
  return classes.join('').replaceAll(S + S, () => `(?:${S}${S}|[ßẞ])`)
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

function writeLetterClass(letter: string, isPlain = false): string {
  if (/[\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]/.test(letter)) return `\\${letter}`
  const all = [...((!isPlain && FAMILY.get(letter)) || letter)].flatMap((one) => [
    one,
    one.toUpperCase(),
  ])
  const single = [...new Set(all)].filter((one) => [...one].length === 1)
  return single.length > 1 ? `[${single.join('')}]` : letter
}

const S = writeLetterClass('s')
