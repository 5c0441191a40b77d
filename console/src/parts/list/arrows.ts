const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
const TARGETS = 'a[href], button:not([hidden])'

/** An `onKeyDown` of a list or table: the arrows move the focus to the first link or button of a row. */
export function moveFocus(event: KeyboardEvent): void {
  const step = STEPS[event.key]
  const list = event.currentTarget as HTMLElement
  const target = event.target as Element
  if (!step || target.closest('input, select, textarea, [role="listbox"]') || event.altKey) return
  const all = [...list.querySelectorAll<HTMLElement>('tr, li')]
  const rows = all.filter((row) => row.querySelector(TARGETS))
  const at = rows.findIndex((row) => row.contains(target))
  const next = rows[at + step]
  if (!next) return
  event.preventDefault()
  next.querySelector<HTMLElement>(TARGETS)?.focus()
}

/** Focuses the chosen or first row of the page's list. Returns whether there is one. */
export function focusList(): boolean {
  const row =
    document.querySelector<HTMLElement>('main li a[aria-current]') ??
    document.querySelector<HTMLElement>('main :is(tbody tr, .conversations-list li) :is(a[href], button)')
  row?.focus()
  return row !== null
}
