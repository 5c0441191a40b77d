import type { Node, Token, Tree } from './tree.ts'

/** All names in a filter, including function arguments: field paths, macros, `true`. */
export function namesIn({ root }: Tree): ReadonlySet<string> {
  const names = new Set<string>()
  const ofToken = (token: Token): void => {
    if (token.kind === 'identifier') names.add(token.text)
    if (token.kind === 'function') token.args.forEach(ofToken)
  }
  const ofNode = (node: Node): void => {
    if (node.kind === 'comparison') [node.left, node.right].forEach(ofToken)
    else node.items.forEach(ofNode)
  }
  ofNode(root)
  return names
}
