const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * The longest beginning of a text with at most `max` UTF-16 units that cuts no grapheme cluster, such as a
 * flag or a letter with its accents. A first cluster that is longer than `max` is cut between characters.
 */
export function cutBetweenGraphemes(text: string, max: number): string {
  if (text.length <= max) return text
  if (max <= 0) return ''
  // of the text behind `max`, one character is enough to decide: so the segmenter takes 5 µs
  const end = segmenter.segment(text.slice(0, max + 2)).containing(max)!.index
  const isPair = isLowSurrogate(text.charCodeAt(max))
  return text.slice(0, end || (isPair ? max - 1 : max))
}

const isLowSurrogate = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff

/** As `cutBetweenGraphemes`, to at most `max` characters (code points). */
export const cutToCharacters = (text: string, max: number): string =>
  cutBetweenGraphemes(text, [...text.slice(0, 2 * max)].slice(0, max).join('').length)
