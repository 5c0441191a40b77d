import { place as location } from '../router.ts'

/** How far down each page was scrolled, by its path. */
const places = new Map<string, number>()
let before = ''

/** How long a list may take until it is longer. */
const LIST_MS = 2_000

/**
 * Scrolls a page that opens to its top, or, on the way back from one of its records, to where it was. Returns
 * what stops that when another page opens.
 */
export function scrollToPlace(path: string): () => void {
  const place = before.startsWith(`${path}/`) ? (places.get(path) ?? 0) : 0
  before = path
  let until = 0
  let height = 0
  let frame = 0
  const scroll = () => {
    scrollTo(0, place)
    const { scrollHeight } = document.documentElement
    if (scrollHeight !== height) until = performance.now() + LIST_MS
    height = scrollHeight
    // until the list is read, the page is too short
    if (Math.ceil(scrollY) < place && performance.now() < until)
      frame = requestAnimationFrame(scroll)
  }
  scroll()
  const keep = () => {
    // not when the next page, which is shorter, has moved this one up
    if (location.value.path === path) places.set(path, scrollY)
  }
  addEventListener('scroll', keep)
  return () => {
    cancelAnimationFrame(frame)
    removeEventListener('scroll', keep)
  }
}
