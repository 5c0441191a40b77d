import { signal } from '@preact/signals'
import type { PageEntry } from '../pages.ts'
import { findVisible } from '../parts/list/arrows.ts'

/** The dialog that the keys have opened: the palette, or the list of the page's keys. */
export const keysOpen = signal<'' | 'palette' | 'keys'>('')

export interface PaletteProps {
  readonly pages: readonly PageEntry[]
  readonly onClose: () => void
}

/** Elements that take typed text or arrow keys. */
export const FIELDS = 'input, select, textarea, [role="listbox"]'
/**
 * The elements of the page that a key presses: those with `aria-keyshortcuts`. A text field gets the focus.
 */
export const listShortcuts = (): HTMLElement[] => findVisible('main [aria-keyshortcuts]')

export function pressShortcut(element: HTMLElement): void {
  if (element.matches(FIELDS)) element.focus()
  else element.click()
}
