import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Entry } from './entries.ts'
import type { ThreadTexts } from './use-thread.ts'

/** Distance to an edge, in pixels, at which more texts are loaded. */
const NEAR_PX = 600
const AT_END_PX = 60

/**
 * Keeps the scroll position when texts are added above or below. If the user is at the end, scrolls to new
 * texts. The box has `flex-direction: column-reverse`: its scrollTop is 0 at the end and negative above.
 */
export function usePlace(thread: ThreadTexts, entries: readonly Entry[], at: string) {
  const box = useRef<HTMLDivElement>(null)
  const [isAway, setAway] = useState(at !== '')
  const seen = useRef('')
  const shown = useRef<ThreadTexts['texts']>([])
  /** The text or note of `at`, once it was scrolled to: it may be read later than others. */
  const placed = useRef('')
  const newest = thread.texts[0]?.created ?? ''
  if (!isAway && !thread.hasNewer) seen.current = newest
  // the first entry on the screen and its position, before the new texts are rendered
  const anchor = isAway && thread.texts !== shown.current ? findFirstShown(box.current) : undefined
  const scroll = () => {
    // the event of a scroll may follow after the conversation was closed
    if (!box.current) return
    const { scrollTop, scrollHeight, clientHeight } = box.current
    if (scrollHeight - clientHeight + scrollTop < NEAR_PX) thread.older()
    if (-scrollTop < NEAR_PX) thread.newer()
    setAway(-scrollTop > AT_END_PX || thread.hasNewer)
  }
  useLayoutEffect(() => {
    shown.current = thread.texts
    const found = placed.current !== at && box.current?.querySelector('[aria-current]')
    if (found) {
      placed.current = at
      found.scrollIntoView({ block: 'center' })
      scroll() // a text near the end moves nothing, and causes no event
    } else if (anchor?.element.isConnected)
      box.current?.scrollBy(0, anchor.element.getBoundingClientRect().top - anchor.top)
    else if (!isAway) box.current?.scrollTo({ top: 0 })
  }, [entries.length, newest, thread.texts])
  return {
    ties: { ref: box, onScroll: scroll },
    isAway: isAway && thread.texts.length > 0,
    /** How many texts arrived since the user saw the end; 0 if newer texts are not loaded. */
    news: thread.hasNewer
      ? 0
      : thread.texts.filter(({ created }) => seen.current && created > seen.current).length,
    toEnd() {
      setAway(false)
      thread.toEnd()
      box.current?.scrollTo({ top: 0 })
    },
  }
}

function findFirstShown(box: HTMLElement | null): { element: Element; top: number } | undefined {
  const edge = box?.getBoundingClientRect().top ?? 0
  const element = [...(box?.querySelectorAll('article') ?? [])].find(
    (each) => each.getBoundingClientRect().bottom > edge,
  )
  return element && { element, top: element.getBoundingClientRect().top }
}
