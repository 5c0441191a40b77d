import { useEffect, useState } from 'preact/hooks'

/** How many more rows each frame draws. A frame with hundreds of new rows would stop a scroll. */
const ROWS_A_FRAME = 15

interface Drawn {
  readonly items: readonly unknown[]
  readonly grow?: (() => void) | undefined
}

/** A list as it is drawn: its first rows, and in each frame a few more. It grows only when all are drawn. */
export function useDrawn<L extends Drawn>(list: L): L {
  const [most, setMost] = useState(ROWS_A_FRAME)
  const { length } = list.items
  // a list that became short begins again
  const next = length < most - ROWS_A_FRAME ? Math.max(length, ROWS_A_FRAME) : most + ROWS_A_FRAME
  const isSettled = most >= length && most - ROWS_A_FRAME <= length
  useEffect(() => {
    if (isSettled) return
    const frame = requestAnimationFrame(() => setMost(next))
    return () => cancelAnimationFrame(frame)
  }, [isSettled, next])
  return most >= length ? list : { ...list, items: list.items.slice(0, most), grow: undefined }
}
