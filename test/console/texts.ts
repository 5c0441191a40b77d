import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseSync } from 'vite'

export const SOURCES = resolve(import.meta.dirname, '../../console/src')
const CALLS = new Set(['t', 'tn', 'tx'])
/** Attributes that nobody reads. */
const CODE_ATTRIBUTES = new Set(
  'class href type id key icon kind autocomplete role d viewBox rel target draftKey code'.split(
    ' ',
  ),
)
/** Methods that look for a text, functions that name a draft or ask the server. */
const CODE_CALLS =
  /(^|\.)(startsWith|querySelector|get|buildURL|useDraft|useAnswer|remembered|send)$/
/** Nodes of which nobody reads anything: types, imports, the names of things. */
const CODE_NODES = /^(Import|ExportAll|TSType|TSInterface|TSLiteral|PropertyDefinition$)/
/** What people read even if it is a single word without a capital letter. */
const READ_NAMES = new Set(
  'label title hint placeholder caption words aria-label action keep more none what'.split(' '),
)
/** Two words with a space between them, a word with a capital letter, the end of a sentence. */
const READABLE = /\p{L}[,.:;!?)”’]* +[\p{L}“(\d{]|^\s*\p{Lu}\p{Ll}|\p{L}[.?!…]$/u

/** A part of a parsed source (ESTree). */
interface Node {
  readonly type: string
  readonly start: number
  readonly [key: string]: unknown
}

/** Where a source says something to people. */
export interface Text {
  /** Below console/src. */
  readonly file: string
  readonly line: number
  readonly text: string
  /** Whether `t`, `tn` or `tx` is called with it. */
  readonly isWrapped: boolean
  /** Of the first text of `tn`: the second one, under which catalogues have all forms. */
  readonly counted?: string
}

/** The sources of the console, below console/src. */
export const sources = (): string[] =>
  globSync('**/*.{ts,tsx}', { cwd: SOURCES }).filter((file) => !file.endsWith('.d.ts'))

export const readSource = (file: string): string => readFileSync(join(SOURCES, file), 'utf8')

const parse = (file: string, code: string): Node => parseSync(file, code).program as unknown as Node

/** What a source says to people, in its order. */
export function textsOf(file: string, code: string): Text[] {
  const found: Text[] = []
  const keys = new Map<Node, Pick<Text, 'counted'>>()
  const note = (node: Node, text: string) => {
    const line = code.slice(0, node.start).split('\n').length
    found.push({ file, line, text, isWrapped: keys.has(node), ...keys.get(node) })
  }
  const visit = (node: Node, parent: Node | undefined) => {
    if (isCode(node, parent)) return
    for (const [key, more] of keysOf(node)) keys.set(key, more)
    const text = textOf(node)
    if (keys.has(node) || isReadable(text, node, parent)) note(node, text.trim())
    for (const child of childrenOf(node)) visit(child, node)
  }
  visit(parse(file, code), undefined)
  return found
}

function isCode(node: Node, parent: Node | undefined): boolean {
  if (CODE_NODES.test(node.type)) return true
  if (parent?.type === 'Property' && parent.key === node) return true
  if (parent?.type === 'BinaryExpression' && parent.operator !== '+') return true
  if (node.type === 'JSXAttribute') return CODE_ATTRIBUTES.has(nameOf(node.name))
  return (
    parent?.type === 'CallExpression' &&
    node !== parent.callee &&
    CODE_CALLS.test(nameOf(parent.callee))
  )
}

/** The texts of a call of `t`, `tn` or `tx`: of `tn` both, of `tx(isOne ? '…' : '…')` one of two. */
function keysOf(node: Node): (readonly [Node, Pick<Text, 'counted'>])[] {
  if (node.type !== 'CallExpression' || !CALLS.has(nameOf(node.callee))) return []
  const [first, second] = (node.arguments as Node[]).map(literalsOf)
  if (nameOf(node.callee) !== 'tn') return first!.map((key) => [key, {}])
  const counted = String(second![0]?.value)
  return [
    ...first!.map((key) => [key, { counted }] as const),
    ...second!.map((key) => [key, {}] as const),
  ]
}

function literalsOf(node: Node): Node[] {
  if (node.type !== 'ConditionalExpression') return node.type === 'Literal' ? [node] : []
  return [node.consequent as Node, node.alternate as Node].flatMap(literalsOf)
}

const isReadable = (text: string, node: Node, parent: Node | undefined) =>
  READABLE.test(text) ||
  (/\p{L}/u.test(text) &&
    (node.type === 'JSXText' ||
      (parent?.value === node && READ_NAMES.has(nameOf(parent.name ?? parent.key)))))

/** The text of a literal, of a template without its values, or between tags; '' of anything else. */
function textOf(node: Node): string {
  if (node.type === 'JSXText' || node.type === 'Literal')
    return typeof node.value === 'string' ? node.value : ''
  if (node.type !== 'TemplateLiteral') return ''
  return (node.quasis as { value: { cooked: string } }[])
    .map(({ value }) => value.cooked)
    .join('{}')
}

/** `a.b` of an identifier, a member or the name of an attribute. */
function nameOf(node: unknown): string {
  const { type, name, object, property, value } = (node ?? {}) as Node
  if (type === 'MemberExpression') return `${nameOf(object)}.${nameOf(property)}`
  return String((typeof name === 'string' ? name : value) ?? '')
}

const childrenOf = (node: Node): Node[] =>
  Object.values(node)
    .flat()
    .filter((child): child is Node => typeof (child as Node | null)?.type === 'string')

/** The components of the console that are dialogs with a title of the place that renders them. */
const DIALOGS = new Set(['Dialog', 'ShownOnce', 'ChangeDialog'])

/**
 * The titles of all dialogs of the console, in English. Titles that are data, such as the email of a user,
 * are left out.
 */
export const dialogTitles = (): string[] => [
  ...new Set(sources().flatMap((file) => titlesOf(file, readSource(file)))),
]

/** The titles of the dialogs in a source: of a component, or of a question for `confirmed`. */
export function titlesOf(file: string, code: string): string[] {
  const found: string[] = []
  const visit = (node: Node) => {
    const titles = [dialogTitle(node), questionTitle(node)].filter((title) => title !== undefined)
    found.push(...titles.flatMap(textsIn))
    childrenOf(node).forEach(visit)
  }
  visit(parse(file, code))
  return found
}

function dialogTitle({ type, name, attributes }: Node): Node | undefined {
  if (type !== 'JSXOpeningElement' || !DIALOGS.has(nameOf(name))) return undefined
  return (attributes as Node[]).find((attribute) => nameOf(attribute.name) === 'title')
}

/** A question has a title and the words of the button that says yes. With rows it is a card of a form. */
function questionTitle({ type, properties }: Node): Node | undefined {
  if (type !== 'ObjectExpression') return undefined
  const find = (name: string) => (properties as Node[]).find(({ key }) => nameOf(key) === name)
  return find('rows') ? undefined : find('action') && find('title')
}

const textsIn = (node: Node): string[] => [
  ...keysOf(node).map(([{ value }]) => String(value)),
  ...childrenOf(node).flatMap(textsIn),
]
