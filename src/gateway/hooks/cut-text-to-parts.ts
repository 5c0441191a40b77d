import type { Rendered } from '../../platform/templates/render.ts'
import { countSegments } from '../../portable/segments.ts'
import { MAX_CHARACTERS } from '../messages/send/send-options.ts'

/**
 * Cuts a text to at most `maxParts` short messages. Keeps whole items of a list and appends how many more
 * there are. Writes `...`: with `…`, which GSM 03.38 lacks, a part would hold 67 characters, not 153.
 */
export function cutToParts({ text, ends, rest }: Rendered, maxParts: number): string {
  const fits = (one: string) =>
    one.length <= MAX_CHARACTERS && countSegments(one).segments <= maxParts
  const items = ends.length + rest
  if (rest === 0 && fits(text)) return text
  const withItems = (kept: number) =>
    `${text.slice(0, ends[kept - 1]).trimEnd()}\nand ${items - kept} more`
  const kept = findLongestFit((count) => fits(withItems(count)), Math.min(ends.length, items - 1))
  if (kept > 0) return withItems(kept)
  const mark = items > 1 ? `...\nand ${items - 1} more` : '...'
  const characters = [...text.slice(0, items > 1 ? ends[0] : undefined).slice(0, MAX_CHARACTERS)]
  const cut = (count: number) => characters.slice(0, count).join('').trimEnd() + mark
  return cut(findLongestFit((count) => fits(cut(count)), characters.length))
}

/** The largest number up to `most` that passes, else 0. All smaller numbers must pass, too. */
function findLongestFit(passes: (count: number) => boolean, most: number): number {
  let [low, high] = [0, most]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (passes(middle)) low = middle
    else high = middle - 1
  }
  return low
}
