import { type DefaultTreeAdapterTypes, defaultTreeAdapter, parse } from 'parse5'
import { trimSpace } from '../../tools/tokenize.ts'

type Node = DefaultTreeAdapterTypes.Node

/** Elements whose text is not part of an excerpt. PocketBase: tools/picker/excerpt_modifier.go */
const LEFT_OUT = new Set(
  'head style script iframe embed applet object svg img picture dialog template button form textarea input select option'.split(
    ' ',
  ),
)
/** Elements that do not separate words; all others are blocks. */
const INLINE = new Set(
  'a abbr acronym b bdo big br button cite code em i label q small span strong strike sub sup time'.split(
    ' ',
  ),
)
/** Characters of HTML to read; attributes of more would take 0.1 s. */
const MAX_LENGTH = 128 << 10
/** Maximum nesting as in Go's parser, and maximum elements: unclosed ones are repeated per block. */
const MAX_DEPTH = 512
const MAX_ELEMENTS = 50_000
/** Marks the end of a block. */
const SPACE = Symbol('space')

interface Gathered {
  text: string
  endsInSpace: boolean
  /** Stop once the text has more bytes. */
  readonly limit: number
}

/**
 * Plain text of HTML: without tags, white space collapsed, cut to `max` code points, then `...` if
 * `ellipsis`. `a<b` loses what looks like a tag. Of very long or deep HTML only the beginning is read.
 */
export function excerpt(html: string, max: number, ellipsis: boolean): string {
  const gathered: Gathered = { text: '', endsInSpace: false, limit: max + 2 }
  gather(parseStart(html), gathered)
  const text = trimSpace(gathered.text)
  const points = [...text]
  if (points.length <= max) return text
  return trimSpace(points.slice(0, max).join('')) + (ellipsis ? '...' : '')
}

/** Thrown when enough elements were read. */
class Enough extends Error {}

function parseStart(html: string): Node {
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
    return parse(html.slice(0, MAX_LENGTH), { treeAdapter })
  } catch (error) {
    if (!(error instanceof Enough)) throw error
    return document
  }
}

/** Depth first with an explicit stack: a text may nest a million tags. */
function gather(root: Node, into: Gathered): void {
  const waiting: (Node | typeof SPACE)[] = [root]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next === SPACE) {
      addSpace(into)
      continue
    }
    const tag = 'tagName' in next ? next.tagName : undefined
    if (tag !== undefined && LEFT_OUT.has(tag)) continue
    if (tag !== undefined && !INLINE.has(tag)) {
      addSpace(into)
      waiting.push(SPACE)
    }
    if (next.nodeName === '#text') addText((next as DefaultTreeAdapterTypes.TextNode).value, into)
    if (Buffer.byteLength(into.text) > into.limit || !('childNodes' in next)) continue
    for (const child of next.childNodes.toReversed()) waiting.push(child)
  }
}

function addText(text: string, into: Gathered): void {
  const collapsed = text.replace(/[\t\n\f\r ]+/g, ' ')
  const added = into.endsInSpace ? collapsed.replace(/^ +/, '') : collapsed
  if (added === '') return
  into.text += added
  into.endsInSpace = added.endsWith(' ')
}

function addSpace(into: Gathered): void {
  if (into.endsInSpace) return
  into.text += ' '
  into.endsInSpace = true
}
