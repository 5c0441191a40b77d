// Runs in the page, as `findLayoutFaults` of layout.ts evaluates it: describes what is broken at this width.

const SLACK = 1.5
const FINGER = 44
/** Width of the arrow of a menu, in pixels. */
const ARROW = 16
const TARGETS =
  'a[href], button, input:not([type=hidden]), select, textarea, summary, label:has(> .unseen), [role=option]'
/** Text that an ellipsis may not shorten: people must read all of it. */
const WHOLE =
  'button, label, h1, h2, h3, th, legend, dt, .button, .badge, .phone-number, .note, nav *'

const nameOf = (element) =>
  `<${element.tagName.toLowerCase()} ${element.className?.baseVal ?? element.className}> ${(element.getAttribute('aria-label') || element.textContent || element.getAttribute('placeholder') || element.name || '').trim().slice(0, 40)}`

const ancestors = function* (element) {
  for (let each = element; each; each = each.parentElement) yield [each, getComputedStyle(each)]
}

/** Whether people see the element: hidden texts for screen readers are clipped to nothing. */
const isSeen = (element) =>
  element.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
  element.getBoundingClientRect().width > 1 &&
  element.getBoundingClientRect().bottom > 0 &&
  [...ancestors(element)].every(([, style]) => style.clipPath === 'none')

const scrolls = (style) => /auto|scroll/.test(style.overflowX)
const hasText = (element) =>
  [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())

/** The box around an element's own text. */
function boxOf(element) {
  const range = document.createRange()
  const own = [...element.childNodes].filter((node) => node.nodeType === 3 && node.data.trim())
  range.setStart(own[0], 0)
  range.setEndAfter(own.at(-1))
  return range.getBoundingClientRect()
}

/** Whether a box around the text hides a part of it. */
function isCut(element) {
  const text = boxOf(element)
  for (const [each, style] of ancestors(element)) {
    if (scrolls(style) || style.position === 'fixed') return false
    if (style.overflowX === 'visible') continue
    const box = each.getBoundingClientRect()
    const isOut = text.right > box.right + SLACK || text.left < box.left - SLACK
    if (isOut) return style.textOverflow !== 'ellipsis' || element.closest(WHOLE) !== null
    if (style.overflowY === 'hidden' && text.bottom > box.bottom + 4) return true
  }
  return false
}

/** Whether the chosen option is wider than its menu. */
function isChoiceCut(select) {
  const style = getComputedStyle(select)
  const pen = document.createElement('canvas').getContext('2d')
  pen.font = style.font
  const room =
    select.clientWidth -
    Number.parseFloat(style.paddingLeft) -
    Number.parseFloat(style.paddingRight) -
    ARROW
  return pen.measureText(select.selectedOptions[0]?.text ?? '').width > room + SLACK
}

function isOutside(element) {
  const { left, right } = element.getBoundingClientRect()
  if (left >= -SLACK && right <= innerWidth + SLACK) return false
  return ![...ancestors(element)].some(([, style]) => scrolls(style))
}

/** The area that reacts to a finger: a label's for a check box, a row's for its link. */
const areaOf = (target) =>
  (target.matches('[type=checkbox], [type=radio]') && target.closest('label')) ||
  target.closest('td.first')?.parentElement ||
  target.closest('tr.linked, .send-to') ||
  target

/** Whether a link is part of a sentence. */
const isInText = (link) =>
  getComputedStyle(link).display === 'inline' &&
  link.parentElement.textContent.trim().length > link.textContent.trim().length

function isSmall(target) {
  if (isInText(target)) return false
  const { width, height } = areaOf(target).getBoundingClientRect()
  return width < FINGER - 0.5 || height < FINGER - 0.5
}

/** The element that stays in its place, with this one, while what is below it scrolls; undefined if none. */
const layerOf = (element) =>
  [...ancestors(element)].find(([, style]) => /fixed|sticky/.test(style.position))?.[0]

/** Whether an element that scrolls with the page lies over the middle of a target. */
function isCovered(target) {
  if (isInText(target)) return false
  const box = target.getBoundingClientRect()
  const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2]
  const shows = (each) => {
    const { left, right, top, bottom } = each.getBoundingClientRect()
    return x > left && x < right && y > top && y < bottom
  }
  const isShown = [...ancestors(target)].every(
    ([each, style]) => style.overflowY === 'visible' || shows(each),
  )
  const over = isShown && document.elementFromPoint(x, y)
  if (!over || over.contains(target) || target.contains(over)) return false
  if (over.closest('label')?.contains(target)) return false
  return !layerOf(over)
}

/** Whether people must scroll a table sideways to see its last column. */
const isSideways = (frame) =>
  frame.matches('.table-frame') && frame.scrollWidth > frame.clientWidth + SLACK

/** The boxes of the lines of an element's own text, as far as boxes around it show them. */
function linesOf(element) {
  const clips = [...ancestors(element)]
    .filter(([, style]) => style.overflowX !== 'visible')
    .map(([each]) => each.getBoundingClientRect())
  return [...element.childNodes]
    .filter((node) => node.nodeType === 3 && node.data.trim())
    .flatMap((node) => {
      const range = document.createRange()
      range.selectNodeContents(node)
      return [...range.getClientRects()]
    })
    .map(({ left, right, top, bottom }) => ({
      left: Math.max(left, ...clips.map((clip) => clip.left)),
      right: Math.min(right, ...clips.map((clip) => clip.right)),
      top,
      bottom,
    }))
}

/** Texts of cards, tables and headings that lie over an earlier one. */
function overlaps(texts) {
  const isOver = (a, b) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 6
  const lines = texts.map((each) => [each, linesOf(each)])
  return lines
    .filter(([, own], at) =>
      lines.slice(0, at).some(([, others]) => others.some((a) => own.some((b) => isOver(a, b)))),
    )
    .map(([each]) => each)
}

/** All faults of the page; `isTouch`: whether its buttons must be large enough for a finger. */
export function layoutFaults(isTouch) {
  const seen = [...document.body.querySelectorAll('*')].filter(
    (each) => !each.closest('svg') && isSeen(each),
  )
  const targets = seen.filter((each) => each.matches(TARGETS))
  const faults = (kind, found) => found.map((each) => `${kind}: ${nameOf(each)}`)
  const wider = document.documentElement.scrollWidth - innerWidth
  return [
    ...(wider > 0 ? [`the page is ${wider} px wider than the window`] : []),
    ...faults(
      'outside',
      seen.filter((each) => (hasText(each) || each.matches(TARGETS)) && isOutside(each)),
    ),
    ...faults(
      'cut',
      seen.filter((each) => hasText(each) && !each.matches('option, textarea') && isCut(each)),
    ),
    ...faults(
      'cut',
      seen.filter((each) => each.matches('select') && isChoiceCut(each)),
    ),
    ...faults('wider than its frame', seen.filter(isSideways)),
    ...faults(
      'over another text',
      [
        ...Map.groupBy(
          seen.filter((each) => hasText(each) && each.closest('td, .card, header')),
          layerOf,
        ).values(),
      ].flatMap(overlaps),
    ),
    ...faults('covered', targets.filter(isCovered)),
    ...(isTouch ? faults('too small', targets.filter(isSmall)) : []),
  ]
}
