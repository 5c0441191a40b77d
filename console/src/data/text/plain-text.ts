import { countSegments } from '#portable/segments.ts'

/**
 * Characters that spreadsheets and phones insert, by their equivalents in the GSM alphabet.
 */
const PLAIN: Readonly<Record<string, string>> = {
  "'": '‘’‚‛′´`‹›',
  '"': '“”„‟″«»',
  '-': '‐‑‒–—―−',
  ' ': '\u00a0\u2002\u2003\u2009\u202f',
  '...': '…',
  '': '\u200b\u2060\ufeff\u00ad',
}
const SIGNS = new Map(
  Object.entries(PLAIN).flatMap(([plain, signs]) => [...signs].map((sign) => [sign, plain])),
)

/**
 * An equivalent text in fewer segments, and how many fewer; undefined if plainer characters save nothing.
 * No letter is changed.
 */
export function plainTextSuggestion(
  text: string,
): { readonly text: string; readonly saved: number } | undefined {
  const plain = [...text].map((char) => SIGNS.get(char) ?? char).join('')
  if (plain === text) return undefined
  const [before, after] = [countSegments(text), countSegments(plain)]
  const wins = after.encoding !== before.encoding || after.segments < before.segments
  return wins ? { text: plain, saved: before.segments - after.segments } : undefined
}
