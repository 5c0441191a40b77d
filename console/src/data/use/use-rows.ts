import { useState } from 'preact/hooks'

/** A list grows to this many rows. A longer one has pages. The API answers at most 500 messages at once. */
export const MOST_ROWS = 500

/** How far each list has grown, by its question, for the way back from one of its records. */
const grown = new Map<string, number>()

/**
 * How many rows of a list are read: `first`, and twice as many each time it grows; MOST_ROWS on a later page.
 * The function that lets it grow is undefined when it has MOST_ROWS.
 */
export function useRows(
  question: string,
  first: number,
  page: number,
): [rows: number, grow: (() => void) | undefined] {
  const [, setTimes] = useState(0)
  const rows = Math.max(first, page > 1 ? MOST_ROWS : (grown.get(question) ?? 0))
  if (rows >= MOST_ROWS) return [rows, undefined]
  const grow = () => {
    grown.set(question, Math.min(MOST_ROWS, rows * 2))
    setTimes((times) => times + 1)
  }
  return [rows, grow]
}
