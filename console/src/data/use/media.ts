import { type ReadonlySignal, signal } from '@preact/signals'

/** Whether a media query holds now. */
function matches(query: string): ReadonlySignal<boolean> {
  const list = matchMedia(query)
  const now = signal(list.matches)
  list.addEventListener('change', () => {
    now.value = list.matches
  })
  return now
}

/** The screen of a phone, as in the styles. */
export const isPhone = matches('(max-width: 719px)')
/** Room for three columns, as in the styles. */
export const isWide = matches('(min-width: 1200px)')
/** Room for four. */
export const hasRoom = matches('(min-width: 1600px)')
/** A device with a mouse, and so probably a real keyboard. */
export const hasKeyboard = matches('(hover: hover) and (pointer: fine)')
