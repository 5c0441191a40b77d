const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
const TARGETS = 'a[href], button:not([hidden], :disabled)'

/**
 * An `onKeyDown` of a list, table or menu: the arrows move the focus to the first link or button of a row, or
 * from button to button where there are no rows.
 */
export function moveFocus(event: KeyboardEvent): void {
  const step = STEPS[event.key]
  const list = event.currentTarget as HTMLElement
  const target = event.target as Element
  if (!step || target.closest('input, select, textarea, [role="listbox"]') || event.altKey) return
  const rows = [...list.querySelectorAll<HTMLElement>('tr, li')].filter((row) =>
    row.querySelector(TARGETS),
  )
  const stops = rows.length > 0 ? rows : [...list.querySelectorAll<HTMLElement>(TARGETS)]
  const next = stops[stops.findIndex((stop) => stop.contains(target)) + step]
  if (!next) return
  event.preventDefault()
  const first = next.matches(TARGETS) ? next : next.querySelector<HTMLElement>(TARGETS)
  first?.focus()
}

/** The elements that a selector finds and that are shown. A narrow window hides the list beside a thread. */
export const findVisible = (selector: string): HTMLElement[] =>
  [...document.querySelectorAll<HTMLElement>(selector)].filter((each) =>
    each.checkVisibility({ visibilityProperty: true }),
  )

/** Focuses the chosen or first row of the page's list. Returns whether there is one. */
export function focusList(): boolean {
  const [row] = [
    ...findVisible('main li a[aria-current]'),
    ...findVisible('main :is(tbody tr, .conversations-list li) :is(a[href], button)'),
  ]
  row?.focus()
  return row !== undefined
}
