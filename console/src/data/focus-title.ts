/** Gives the focus to the title of the page, unless something else has it. */
export function focusTitle(): void {
  if (document.activeElement !== document.body) return
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
}
