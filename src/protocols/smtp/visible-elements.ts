import type { DefaultTreeAdapterTypes } from 'parse5'

type Element = DefaultTreeAdapterTypes.Element
type Node = DefaultTreeAdapterTypes.ChildNode

/** Declarations of CSS by property. A later one replaces an earlier one that is not important. */
export type Styles = ReadonlyMap<string, string>

/** Elements that a mail program hides, or shows only without the abilities of a page. */
const NEVER_SHOWN = new Set([
  'head',
  'style',
  'script',
  'template',
  'title',
  'select',
  'datalist',
  'iframe',
  'object',
  'video',
  'audio',
  'canvas',
  'svg',
  'progress',
  'meter',
])

/** The style that the text in an element inherits. */
export interface Sight {
  readonly isTiny: boolean
  readonly isHidden: boolean
  readonly isTransparent: boolean
  readonly isPreformatted: boolean
}

export const PLAIN_SIGHT: Sight = {
  isTiny: false,
  isHidden: false,
  isTransparent: false,
  isPreformatted: false,
}

/** Text up to this size cannot be read: senders hide the preview of a mail so. */
const TINY_PX = 1
const PIXELS: Readonly<Record<string, number>> = {
  px: 1,
  pt: 4 / 3,
  em: 16,
  rem: 16,
  '%': 0.16,
}

/**
 * How the text in an element is seen. Undefined if nothing of the element is shown: by its name, by `hidden`,
 * or by CSS that leaves no room for it.
 */
export function findSight(element: Element, styles: Styles, outer: Sight): Sight | undefined {
  const { nodeName, attrs } = element
  const has = (wanted: string) => attrs.some(({ name }) => name === wanted)
  if (NEVER_SHOWN.has(nodeName) || has('hidden') || (nodeName === 'dialog' && !has('open')))
    return undefined
  if (isWithoutRoom(styles)) return undefined
  const [size, space] = [readPixels(styles.get('font-size')), styles.get('white-space')]
  const [visibility, color] = [styles.get('visibility'), styles.get('color')]
  return {
    isTiny: size === undefined ? outer.isTiny : size <= TINY_PX,
    isHidden: visibility === undefined ? outer.isHidden : visibility !== 'visible',
    isTransparent: color === undefined ? outer.isTransparent : color === 'transparent',
    isPreformatted: nodeName === 'pre' || (space ? space.startsWith('pre') : outer.isPreformatted),
  }
}

/** Whether CSS hides an element with all that is in it. */
function isWithoutRoom(styles: Styles): boolean {
  const isFlat = (property: string) => (readPixels(styles.get(property)) ?? TINY_PX + 1) <= TINY_PX
  if (styles.get('display') === 'none' || Number(styles.get('opacity') ?? 1) === 0) return true
  const clips = /hidden|clip/.test(styles.get('overflow') ?? '')
  if (clips && ['height', 'max-height', 'width', 'max-width'].some(isFlat)) return true
  return ['left', 'top', 'text-indent', 'margin-left'].some(
    (property) => (readPixels(styles.get(property)) ?? 0) <= -999,
  )
}

function readPixels(value: string | undefined): number | undefined {
  const [, number = '', unit = ''] = /^(-?[\d.]+)(px|pt|em|rem|%)?$/.exec(value ?? '') ?? []
  return number === '' ? undefined : Number(number) * (PIXELS[unit] ?? 1)
}

/** Maximum rules of the style sheets of a page that are read. */
const MAX_RULES = 250
/** Maximum classes and ids of a selector: each is compared with those of each element. */
const MAX_NAMES = 5
/** Maximum declarations of style sheets that the elements of a page get; then only their own count. */
const MAX_DECLARATIONS = 200_000
/** A comment, up to the end of the style sheet if it has no end. */
const COMMENT = /\/\*(?:[\s\S]*?\*\/|[\s\S]*$)/g
const SIMPLE = /^(?:([a-z][a-z0-9]*)|\*)?((?:[.#][\w-]+)*)$/

interface Rule {
  readonly element: string | undefined
  readonly classes: readonly string[]
  readonly id: string | undefined
  readonly styles: Styles
}

/** `left`: how many declarations the elements of the page may still get. */
export interface StyleSheet {
  readonly rules: readonly Rule[]
  left: number
}

/**
 * Reads the rules of a page's style sheets that name elements, classes or ids alone. Rules for some screens
 * only, such as `@media`, and for elements within others are left out.
 */
export function collectStyleSheet(nodes: readonly Node[]): StyleSheet {
  let text = ''
  const left = [...nodes]
  for (let node = left.shift(); node; node = left.pop()) {
    if (!('childNodes' in node)) continue
    if (node.nodeName === 'style')
      for (const child of node.childNodes) text += 'value' in child ? `${child.value}\n` : ''
    else left.push(...node.childNodes)
  }
  return { rules: parseRules(text), left: MAX_DECLARATIONS }
}

function parseRules(text: string): Rule[] {
  const rules: Rule[] = []
  for (const rule of cutAtRules(text.replace(COMMENT, '')).split('}')) {
    const start = rule.indexOf('{')
    const [selectors, styles] = [
      rule.slice(0, Math.max(0, start)),
      parseStyles(rule.slice(start + 1)),
    ]
    if (styles.size === 0) continue
    for (const selector of selectors.split(',')) {
      const [found, element, names = ''] = SIMPLE.exec(selector.trim().toLowerCase()) ?? []
      if (!found) continue
      const parts = names.match(/[.#][\w-]+/g) ?? []
      if (parts.length > MAX_NAMES) continue
      const classes = parts.filter((part) => part.startsWith('.')).map((part) => part.slice(1))
      const id = parts.find((part) => part.startsWith('#'))?.slice(1)
      rules.push({ element, classes, id, styles })
      if (rules.length === MAX_RULES) return rules
    }
  }
  return rules
}

/** A style sheet without `@import`, `@media` and other rules that begin with `@`, and their blocks. */
function cutAtRules(text: string): string {
  let kept = ''
  let from = 0
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', from)) {
    kept += text.slice(from, at)
    let depth = 0
    let end = at
    for (; end < text.length; end++) {
      const character = text[end]
      if (character === '{') depth++
      else if (character === '}' && --depth <= 0) break
      else if (character === ';' && depth === 0) break
    }
    from = end + 1
  }
  return kept + text.slice(from)
}

/** Properties that say whether something is seen. */
const READ = new Set([
  'display',
  'visibility',
  'opacity',
  'font-size',
  'color',
  'white-space',
  'overflow',
  'height',
  'max-height',
  'width',
  'max-width',
  'left',
  'top',
  'text-indent',
  'margin-left',
])
const IMPORTANT = '!important'

function parseStyles(text: string): Map<string, string> {
  const styles = new Map<string, string>()
  for (const declaration of text.toLowerCase().split(';')) {
    const [property = '', value = ''] = declaration.split(':').map((word) => word.trim())
    const parts = value.split('!').map((word) => word.trim())
    if (READ.has(property)) addStyle(styles, property, parts.join('!'))
  }
  return styles
}

function addStyle(styles: Map<string, string>, property: string, value: string): void {
  if (!styles.get(property)?.endsWith(IMPORTANT) || value.endsWith(IMPORTANT))
    styles.set(property, value)
}

/** The styles of an element: of its style sheet, then its own. */
export function findStyles({ nodeName, attrs }: Element, sheet: StyleSheet): Styles {
  const read = (wanted: string) => attrs.find(({ name }) => name === wanted)?.value ?? ''
  const own = parseStyles(read('style'))
  const classes = new Set(read('class').toLowerCase().split(/\s+/))
  const id = read('id').toLowerCase()
  const all = new Map<string, string>()
  for (const rule of sheet.left > 0 ? sheet.rules : [])
    if (
      (rule.element ?? nodeName) === nodeName &&
      (rule.id ?? id) === id &&
      rule.classes.every((name) => classes.has(name))
    ) {
      sheet.left -= rule.styles.size
      for (const [property, value] of rule.styles) addStyle(all, property, value)
    }
  for (const [property, value] of own) addStyle(all, property, value)
  for (const [property, value] of all) all.set(property, value.replace(IMPORTANT, ''))
  return all
}
