import { type ReadonlySignal, signal } from '@preact/signals'

function watchMediaQuery(query: string): ReadonlySignal<boolean> {
  const list = matchMedia(query)
  const now = signal(list.matches)
  list.addEventListener('change', () => {
    now.value = list.matches
  })
  return now
}

/** Whether the window is as narrow as a phone's. The CSS uses the same width. */
export const isPhone = watchMediaQuery('(max-width: 719px)')
/** Whether a conversation takes the place of their list. The CSS uses the same width. */
export const isNarrow = watchMediaQuery('(max-width: 959px)')
/** Whether the navigation shows icons with short titles. The CSS for phones hides it. */
export const isRail = watchMediaQuery('(max-width: 1199px)')
/** Whether the window has room for the conversations' views. The CSS uses the same width. */
export const isWide = watchMediaQuery('(min-width: 1520px)')
/** Whether the window has room for a contact beside a conversation, if the navigation is a rail. */
export const hasRoom = watchMediaQuery('(min-width: 1280px)')
/** Whether the window has room for everything. */
export const isHuge = watchMediaQuery('(min-width: 1600px)')
/** Whether the device has a mouse, and so probably a real keyboard. */
export const hasKeyboard = watchMediaQuery('(hover: hover) and (pointer: fine)')
