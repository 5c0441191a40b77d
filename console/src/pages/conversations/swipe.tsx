import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import './swipe.css'

/** The shortest swipe that has an effect, in pixels. */
const FAR_PX = 96

/** Content that a swipe moves aside, which uncovers `words`. A swipe of FAR_PX or more calls `onSwipe`. */
export function Swipe({
  words,
  onSwipe,
  children,
}: {
  words: string
  onSwipe: () => void
  children: ComponentChildren
}) {
  const [by, setBy] = useState(0)
  const from = useRef<number>(undefined)
  const end = (isDone: boolean) => {
    if (isDone && Math.abs(by) >= FAR_PX) onSwipe()
    from.current = undefined
    setBy(0)
  }
  return (
    // the style sheet sets `touch-action: pan-y`, so the browser handles only vertical scrolling
    <div
      class="conversations-swipe"
      onPointerDown={(event) => {
        if (event.pointerType === 'touch') from.current = event.clientX
      }}
      onPointerMove={(event) => {
        if (from.current !== undefined) setBy(event.clientX - from.current)
      }}
      onPointerUp={() => end(true)}
      onPointerCancel={() => end(false)}
    >
      {by !== 0 && (
        <span class={`conversations-below ${by < 0 ? 'end' : ''}`} aria-hidden="true">
          {words}
        </span>
      )}
      <div style={by !== 0 ? { transform: `translateX(${by}px)` } : {}}>{children}</div>
    </div>
  )
}
