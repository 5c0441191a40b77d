/** Format characters that no reader sees, such as zero-width spaces. */
const INVISIBLE = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu
export const dropInvisible = (text: string): string => text.replace(INVISIBLE, '')

/** Matches texts of blanks and invisible characters only: control, zero-width and filler characters. */
const NOTHING = /^[\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u
export const isInvisible = (text: string): boolean => NOTHING.test(text)

/** No-break and other blanks; U+2800 is the empty sign of Braille. */
const BLANKS = /[\s\u2800]+/g

const writePlainly = (text: string): string =>
  dropInvisible(text.normalize('NFKC')).replace(BLANKS, ' ')

/** Lower case of upper case: `ß` and `ẞ` become `ss`, and the Turkish `İ` and `ı` become `i`. */
const foldCase = (text: string): string =>
  text.toLowerCase().toUpperCase().toLowerCase().replaceAll('i\u0307', 'i').normalize('NFC')

/**
 * The spelling by which two names that people give are the same: any case of letters, accents in one
 * character or two, wide letters, any blanks, without invisible marks. Accents count.
 */
export const foldName = (name: string): string =>
  ASCII.test(name) ? name.toLowerCase() : foldCase(writePlainly(name)).trim()

/** Without blanks at an end, or two in a row. */
const ASCII = /^(?:[!-~]+(?: [!-~]+)*)?$/

export const isSameName = (one: string, other: string): boolean =>
  one === other || foldName(one) === foldName(other)

/** The entry with a name: the one in exactly these letters, else the first whose name is the same. */
export const findByName = <T>(
  all: readonly T[],
  name: string,
  nameOf: (one: T) => string,
): T | undefined =>
  all.find((one) => nameOf(one) === name) ?? all.find((one) => isSameName(nameOf(one), name))

/** Accents of Latin, Greek and Cyrillic letters. Marks of other alphabets make other letters, and stay. */
const ACCENTS = /[\u0300-\u036f]/g

/** Letters with strokes, and signs for two letters, which Unicode does not take apart. */
const OTHER_LETTERS = new Map(
  'øo łl đd ðd ħh ŧt ŋn ƀb ɨi ƶz ɍr ɏy ɇe ɉj ƚl ɵo ʉu þth æae œoe ςσ іи'
    .split(' ')
    .map((pair) => [pair[0]!, pair.slice(1)] as const),
)
const OTHERS = new RegExp(`[${[...OTHER_LETTERS.keys()].join('')}]`, 'g')

/**
 * The letters of a text as searches and words of texts compare them: as `foldName`, without accents and
 * strokes, since phones leave out what the alphabet of texts lacks (3GPP TS 23.038), and people do, too. The
 * filter `:fold` finds the same in Postgres (sql/functions/search/pb_plain.sql).
 */
export const foldText = (text: string): string =>
  foldCase(writePlainly(text).normalize('NFD').replace(ACCENTS, '')).replace(
    OTHERS,
    (letter) => OTHER_LETTERS.get(letter)!,
  )
