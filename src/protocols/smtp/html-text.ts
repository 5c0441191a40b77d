import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { joinLines } from '../../portable/remove-quotes.ts'
import { GrowingText } from './growing-text.ts'
import { removeFillers } from './remove-fillers.ts'
import {
  collectStyleSheet,
  findSight,
  findStyles,
  PLAIN_SIGHT,
  type Sight,
  type StyleSheet,
} from './visible-elements.ts'

type Element = DefaultTreeAdapterTypes.Element
type Node = DefaultTreeAdapterTypes.ChildNode

/** Maximum characters of all pages of a mail that are read. A text message has at most 1,600. */
const MAX_HTML = 128 << 10
/** Contents of pictures inside HTML. */
const DATA = /data:[\w/+.-]{1,100};base64,[\w/+=\s]*/gi

/** Quotes and signatures by Gmail, Thunderbird and others. */
const QUOTE =
  /^(?:gmail_(?:quote|signature)|moz-(?:signature|cite-prefix)|yahoo_quoted|protonmail_)/
/** Elements that begin and end a line. */
const BLOCKS = new Set(
  'address article aside blockquote caption center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr legend li main nav p pre section summary table tbody tfoot thead'.split(
    ' ',
  ),
)
/** Elements with an empty line before and after them. */
const APART = new Set(['p', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'table', 'ul', 'ol'])
const CELLS = new Set(['td', 'th'])
const LISTS = new Set(['ol', 'ul', 'menu'])

/** Text that would belong to an address in front of it. */
const WORD = /^[\p{L}\p{N}/]/u

/** The text of a page, and the addresses of its pictures and other parts, such as `cid:logo`. */
export interface ShownHtml {
  readonly text: string
  readonly sources: ReadonlySet<string>
}

/** Cuts the pages of a mail to what is read of them, without the pictures inside them. */
export function cutPages(pages: readonly string[]): string[] {
  let left = MAX_HTML
  return pages.map((page) => {
    const cut = page.replace(DATA, 'data:').slice(0, left)
    left -= cut.length
    return cut
  })
}

/**
 * The text that HTML shows, with the addresses of its links: a line for each block, table row and item of a
 * list. Not recursive: elements may be nested deeply. `leavesOutQuotes`: without quoted mails and signatures.
 */
export function readHtml(html: string, leavesOutQuotes = false): ShownHtml {
  const page = parse(html, { scriptingEnabled: false })
  const walk = new HtmlWalk(collectStyleSheet(page.childNodes), leavesOutQuotes)
  return walk.read(page.childNodes)
}

/** A step that is left to do: a node with the sight around it, or the end of an element. */
type Step = { readonly node: Node; readonly sight: Sight } | (() => void)

/** A part of the text that is still written. A row gathers its cells. */
class Part extends GrowingText {
  readonly kind: 'page' | 'row' | 'cell' | 'link'
  readonly cells: string[] = []
  /** The length of the text when it last ended with the address of a link. */
  addressEnd = -1

  constructor(kind: Part['kind']) {
    super()
    this.kind = kind
  }
}

class HtmlWalk {
  readonly #sheet: StyleSheet
  readonly #leavesOutQuotes: boolean
  readonly #sources = new Set<string>()
  readonly #linked = new Set<string>()
  readonly #parts = [new Part('page')]
  /** The number of the next item of each open list; undefined for bullets. */
  readonly #lists: (number | undefined)[] = []

  constructor(sheet: StyleSheet, leavesOutQuotes: boolean) {
    this.#sheet = sheet
    this.#leavesOutQuotes = leavesOutQuotes
  }

  read(nodes: readonly Node[]): ShownHtml {
    const left: Step[] = []
    const addAll = (children: readonly Node[], sight: Sight) => {
      for (const node of children.toReversed()) left.push({ node, sight })
    }
    addAll(nodes, PLAIN_SIGHT)
    for (let step = left.pop(); step; step = left.pop()) {
      if (typeof step === 'function') step()
      else if ('value' in step.node) this.#write(step.node.value, step.sight)
      else if ('attrs' in step.node) {
        const sight = this.#look(step.node, step.sight)
        if (!sight) continue
        const end = this.#begin(step.node)
        if (end) left.push(end)
        addAll(step.node.childNodes, sight)
      }
    }
    return { text: joinLines(this.#part.text.split('\n')), sources: this.#sources }
  }

  get #part(): Part {
    return this.#parts.at(-1)!
  }

  /** The sight in an element; undefined if it is left out. */
  #look(element: Element, outer: Sight): Sight | undefined {
    const isQuote = element.nodeName === 'blockquote' || QUOTE.test(readAttribute(element, 'class'))
    if (this.#leavesOutQuotes && isQuote) return undefined
    return findSight(element, findStyles(element, this.#sheet), outer)
  }

  #write(text: string, { isTiny, isHidden, isTransparent, isPreformatted }: Sight): void {
    if (isTiny || isHidden || isTransparent) return
    const seen = removeFillers(text)
    const part = this.#part
    if (part.text.length === part.addressEnd && WORD.test(seen)) part.widenGap(' ')
    if (!isPreformatted) this.#part.addLine(seen.replace(/\s+/g, ' '))
    else
      for (const [i, line] of seen.split('\n').entries()) {
        if (i > 0) this.#part.addBreak()
        this.#part.addWords(line.trimEnd())
      }
  }

  /** Begins an element. Returns what ends it. */
  #begin(element: Element): (() => void) | undefined {
    const { nodeName } = element
    if (nodeName === 'a') return this.#beginLink(readAttribute(element, 'href'))
    for (const name of ['src', 'background', 'href'])
      this.#sources.add(readAttribute(element, name))
    if (nodeName === 'br') this.#part.addBreak()
    else if (nodeName === 'img') this.#addPicture(readAttribute(element, 'alt'))
    else if (nodeName === 'tr') return this.#beginRow()
    else if (CELLS.has(nodeName)) return this.#beginCell()
    else if (LISTS.has(nodeName)) return this.#beginList(element)
    else if (BLOCKS.has(nodeName)) return this.#beginBlock(nodeName)
    return undefined
  }

  #beginBlock(name: string): () => void {
    const isApart = APART.has(name) && this.#part.kind === 'page' && this.#lists.length === 0
    const gap = isApart ? '\n\n' : '\n'
    this.#part.widenGap(gap)
    if (name === 'li') this.#part.addLine(this.#nameItem())
    return () => this.#part.widenGap(gap)
  }

  #beginList(element: Element): () => void {
    const end = this.#beginBlock(element.nodeName)
    const start = Number.parseInt(readAttribute(element, 'start') || '1', 10)
    this.#lists.push(element.nodeName === 'ol' ? start : undefined)
    return () => {
      this.#lists.pop()
      end()
    }
  }

  #nameItem(): string {
    const number = this.#lists.at(-1)
    if (number === undefined) return '- '
    this.#lists[this.#lists.length - 1] = number + 1
    return `${number}. `
  }

  /** Begins a part of the text. Returns what ends it with its text. */
  #beginPart(kind: Part['kind'], end: (part: Part) => void): () => void {
    const part = new Part(kind)
    this.#parts.push(part)
    return () => {
      this.#parts.pop()
      end(part)
    }
  }

  /** The cells of a row are a line, unless one of them has several lines. */
  #beginRow(): () => void {
    return this.#beginPart('row', ({ text, cells }) => {
      const all = [text, ...cells].filter((cell) => cell !== '')
      const isLine = all.every((cell) => !cell.includes('\n'))
      this.#part.widenGap('\n')
      this.#part.addWords(all.join(isLine ? ' ' : '\n'))
      this.#part.widenGap('\n')
    })
  }

  #beginCell(): () => void {
    return this.#beginPart('cell', ({ text }) => void this.#part.cells.push(text))
  }

  /** A link has its address behind its words, unless they say it, or an earlier link has it. */
  #beginLink(href: string): () => void {
    return this.#beginPart('link', ({ text: words, lead, gap }) => {
      const address = readLinkAddress(href)
      const isSaid = shorten(words).includes(shorten(address))
      const isNew = words !== '' && !isSaid && !this.#linked.has(address)
      if (words !== '') this.#linked.add(address)
      const part = this.#part
      part.widenGap(lead)
      part.addWords(isNew ? `${words} ${address}` : words)
      part.widenGap(gap)
      if (isNew) part.addressEnd = part.text.length
    })
  }

  /** The words of a picture count only where nothing else says what a link is for. */
  #addPicture(alt: string): void {
    if (this.#part.kind === 'link' && this.#part.text === '') this.#part.addLine(alt)
  }
}

const readAttribute = ({ attrs }: Element, wanted: string): string =>
  attrs.find(({ name }) => name === wanted)?.value.trim() ?? ''

/** The address to which a link leads, as a person can use it; '' for none outside the page. */
function readLinkAddress(href: string): string {
  const [, scheme = '', rest = ''] = /^(https?|mailto|tel|sms):(.*)$/is.exec(href) ?? []
  if (/^http/i.test(scheme)) return href.replace(/\s+/g, '%20')
  return rest.split('?', 1)[0]!
}

/** An address, or words, without what may differ between an address and the words for it. */
const shorten = (text: string): string =>
  text
    .toLowerCase()
    .replace(/^https?:\/\/(?:www\.)?/, '')
    .replace(/\/$/, '')
