import { pb } from '../client.ts'
import { phonePart } from './phone-numbers.ts'

/**
 * A filter that finds contacts by a part of the name, whatever its case, or of the number as people write it.
 * Numbers without a country are of `country`.
 */
export function contactFilter(text: string, country: string): string {
  const part = phonePart(text, country)
  return [nameFilter(text), ...(part ? [pb.filter('phone ~ {:part}', { part })] : [])].join(' || ')
}

/** A filter that finds contacts by a part of the name, whatever its case. */
export const nameFilter = (text: string): string =>
  casesOf(text)
    .map((part) => pb.filter('name ~ {:part}', { part }))
    .join(' || ')

/**
 * `ünal` as `ünal`, `Ünal` and `ÜNAL`; a text of ASCII letters as it is. The filter language ignores the case
 * of ASCII letters only, so others are looked for in each way that a name is written.
 */
function casesOf(text: string): readonly string[] {
  const lower = text.toLocaleLowerCase()
  const capital = lower.replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toLocaleUpperCase())
  const all = [text, lower, capital, text.toLocaleUpperCase()]
  const folded = (part: string) => part.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  return [...new Map(all.map((part) => [folded(part), part])).values()]
}
