import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5'
import { trimSpace } from '../../platform/tools/tokenize.ts'

/** Maximum characters of a record's HTML to read. A text that is all tags takes 40 ms. */
export const MAX_HTML = 128 << 10

type Node = DefaultTreeAdapterTypes.Node

/** Elements whose text is left out of an excerpt. PocketBase: tools/picker/excerpt_modifier.go */
const LEFT_OUT = new Set(
  'head style script iframe embed applet object svg img picture dialog template button form textarea input select option'.split(
    ' ',
  ),
)
/** HTML elements that do not separate words. All others do. */
const INLINE = new Set(
  'a abbr acronym b bdo big br button cite code em i label q small span strong strike sub sup time'.split(
    ' ',
  ),
)
/** Maximum nesting of HTML elements, as in Go's parser. */
const MAX_DEPTH = 512
/** Maximum HTML elements: the parser repeats an unclosed element in each block that follows it. */
const MAX_ELEMENTS = 50_000
const SPACE = Symbol('space')

/** Plain text of HTML, cut to `max` code points. Reads only the beginning of very long or deep HTML. */
export function makeExcerpt(html: string, max: number, ellipsis: boolean): string {
  const text = trimSpace(gatherText(parseHtmlStart(html), max + 2))
  const points = [...text]
  if (points.length <= max) return text
  return trimSpace(points.slice(0, max).join('')) + (ellipsis ? '...' : '')
}

class Enough extends Error {}

function parseHtmlStart(html: string): Node {
  let document = defaultTreeAdapter.createDocument()
  let [depth, elements] = [0, 0]
  const treeAdapter: typeof defaultTreeAdapter = {
    ...defaultTreeAdapter,
    createDocument: () => {
      document = defaultTreeAdapter.createDocument()
      return document
    },
    createElement: (...parts) => {
      if (++elements > MAX_ELEMENTS) throw new Enough()
      return defaultTreeAdapter.createElement(...parts)
    },
    onItemPush: () => {
      if (++depth > MAX_DEPTH) throw new Enough()
    },
    onItemPop: () => {
      depth--
    },
  }
  try {
    return parse(html.slice(0, MAX_HTML), { treeAdapter })
  } catch (error) {
    if (!(error instanceof Enough)) throw error
    return document
  }
}

/** Collects text depth first until it has more than `limit` bytes. Uses a stack instead of recursion. */
function gatherText(root: Node, limit: number): string {
  let text = ''
  const add = (more: string) => {
    text += text.endsWith(' ') ? more.replace(/^ +/, '') : more
  }
  const waiting: (Node | typeof SPACE)[] = [root]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next === SPACE) {
      add(' ')
      continue
    }
    const tag = 'tagName' in next ? next.tagName : undefined
    if (tag !== undefined && LEFT_OUT.has(tag)) continue
    if (tag !== undefined && !INLINE.has(tag)) {
      add(' ')
      waiting.push(SPACE)
    }
    if (next.nodeName === '#text')
      add((next as DefaultTreeAdapterTypes.TextNode).value.replace(/[\t\n\f\r ]+/g, ' '))
    if (Buffer.byteLength(text) > limit || !('childNodes' in next)) continue
    for (const child of next.childNodes.toReversed()) waiting.push(child)
  }
  return text
}
