import { useCallback, useEffect, useRef } from 'preact/hooks'
import { hasKeyboard } from './media-queries.ts'

const LEAVING = ['pointerout', 'focusout', 'scroll'] as const
/** A pointer that moves between two rows leaves one before it is over the other. */
const PAUSE_MS = 300

/**
 * Returns whether a person is at the element that `selector` finds: the pointer or the focus is in it, or its
 * beginning is scrolled out of the window. While `isWaiting`, calls `leave` when the person is not any more.
 */
export function usePersonAt(
  selector: string,
  isWaiting: boolean,
  leave: () => void,
): () => boolean {
  const latest = useRef(leave)
  latest.current = leave
  const isAt = useCallback(() => {
    const element = document.querySelector(selector)
    if (!element) return false
    return (
      (hasKeyboard.value && element.matches(':hover')) ||
      element.contains(document.activeElement) ||
      element.getBoundingClientRect().top < 0
    )
  }, [selector])
  useEffect(() => {
    if (!isWaiting) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = () => {
      clearTimeout(timer)
      timer = setTimeout(() => isAt() || latest.current(), PAUSE_MS)
    }
    for (const name of LEAVING) addEventListener(name, look, { capture: true, passive: true })
    return () => {
      clearTimeout(timer)
      for (const name of LEAVING) removeEventListener(name, look, { capture: true })
    }
  }, [isWaiting, isAt])
  return isAt
}
