import type { Rendered } from '../../platform/templates/render.ts'
import { cutBetweenGraphemes } from '../../portable/cut-text.ts'
import { MAX_TEXT_CHARACTERS } from '../../portable/max-text-characters.ts'
import { countSegments } from '../../portable/segments.ts'

/**
 * Cuts a text to at most `maxParts` short messages. Keeps whole items of a list and appends how many more
 * there are. Writes `...`: with `…`, which GSM 03.38 lacks, a part would hold 67 characters, not 153.
 */
export function cutToParts({ text, ends, rest }: Rendered, maxParts: number): string {
  const fits = makeFitCheck(maxParts)
  const items = ends.length + rest
  if (rest === 0 && fits(text)) return text
  const withItems = (kept: number) =>
    `${text.slice(0, ends[kept - 1]).trimEnd()}\nand ${items - kept} more`
  const kept = findLongestFit((count) => fits(withItems(count)), Math.min(ends.length, items - 1))
  if (kept > 0) return withItems(kept)
  const first = text.slice(0, items > 1 ? ends[0] : undefined)
  const mark = items > 1 ? `...\nand ${items - 1} more` : '...'
  return cutBefore(first, mark, fits)
}

/** The longest beginning of a text that fits in `maxParts` segments with `rest` behind it, and `rest`. */
export function cutToPartsBefore(text: string, rest: string, maxParts: number): string {
  const fits = makeFitCheck(maxParts)
  return fits(text + rest) ? text + rest : cutBefore(text, `...${rest}`, fits)
}

const makeFitCheck = (maxParts: number) => (text: string) =>
  text.length <= MAX_TEXT_CHARACTERS && countSegments(text).segments <= maxParts

function cutBefore(text: string, mark: string, fits: (text: string) => boolean): string {
  const cut = (units: number) => cutBetweenGraphemes(text, units).trimEnd() + mark
  return cut(
    findLongestFit((units) => fits(cut(units)), Math.min(text.length, MAX_TEXT_CHARACTERS)),
  )
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
