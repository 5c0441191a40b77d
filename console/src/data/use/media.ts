import { type ReadonlySignal, signal } from '@preact/signals'

function matches(query: string): ReadonlySignal<boolean> {
  const list = matchMedia(query)
  const now = signal(list.matches)
  list.addEventListener('change', () => {
    now.value = list.matches
  })
  return now
}

/** Whether the window is as narrow as a phone's. The CSS uses the same width. */
export const isPhone = matches('(max-width: 719px)')
/** Whether the window has room for three columns. The CSS uses the same width. */
export const isWide = matches('(min-width: 1200px)')
/** Whether the window has room for four columns. */
export const hasRoom = matches('(min-width: 1600px)')
/** Whether the device has a mouse, and so probably a real keyboard. */
export const hasKeyboard = matches('(hover: hover) and (pointer: fine)')
