/** How far above the pointed-at element the one that cuts its text may be. */
const MOST_LEVELS = 3

function findCutText(target: EventTarget | null): HTMLElement | undefined {
  let element = target instanceof HTMLElement ? target : null
  for (let level = 0; element && level < MOST_LEVELS; level++) {
    const isCut = element.scrollWidth > element.clientWidth
    if (isCut && getComputedStyle(element).textOverflow === 'ellipsis') return element
    element = element.parentElement
  }
  return undefined
}

/** Shows the whole of a text that has no room on its line: as a tooltip; of a title at a press, too. */
export function watchCutTexts(): void {
  document.addEventListener('pointerover', ({ target }) => {
    const cut = findCutText(target)
    if (!cut || (cut.title && cut.dataset.cut === undefined)) return
    cut.dataset.cut = ''
    cut.title = cut.textContent
  })
  document.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLElement && target.matches('h1.long-title'))
      target.classList.toggle('cut')
  })
}
