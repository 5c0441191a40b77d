import { useLayoutEffect, useState } from 'preact/hooks'

/** How many more rows a frame draws. A frame with hundreds of new rows would stop a scroll. */
const ROWS_A_FRAME = 15

interface Drawn {
  readonly items: readonly unknown[]
  readonly grow?: () => void
}

/** A list as it is drawn: its first rows, and 15 more in each frame. It grows only when all are drawn. */
export function useDrawn<L extends Drawn>(list: L): L {
  const [drawn, setDrawn] = useState(ROWS_A_FRAME)
  const wanted = Math.max(list.items.length, ROWS_A_FRAME)
  useLayoutEffect(() => {
    if (drawn === wanted) return
    const frame = requestAnimationFrame(() => setDrawn(Math.min(wanted, drawn + ROWS_A_FRAME)))
    return () => cancelAnimationFrame(frame)
  }, [drawn, wanted])
  // a few new records are drawn at once: otherwise they would remove the last rows for a frame
  const isWhole = wanted < drawn + ROWS_A_FRAME
  return isWhole ? list : { ...list, items: list.items.slice(0, drawn), grow: undefined }
}
