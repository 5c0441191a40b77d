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
/** Room for a third column. */
export const isWide = matches('(min-width: 1200px)')
/** A device with a mouse, and so probably a real keyboard. */
export const hasKeyboard = matches('(hover: hover) and (pointer: fine)')
