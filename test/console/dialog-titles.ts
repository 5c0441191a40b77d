import { childrenOf, keysOf, type Node, nameOf, parse, readSource, sources } from './texts.ts'

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
  ...keysOf(node).map(({ value }) => String(value)),
  ...childrenOf(node).flatMap(textsIn),
]
