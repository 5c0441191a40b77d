/** Relations to expand by name, with the relations below. */
export type ExpandTree = Map<string, ExpandTree>

/** Parses `expand`; drops empty paths and beginnings of others. PocketBase: core/record_query_expand.go */
export function readExpand(param: string): ExpandTree {
  const tree: ExpandTree = new Map()
  for (const part of param.split(',')) {
    const hops = part.replaceAll(' ', '').split('.')
    const [first, last] = [hops.findIndex(isNamed), hops.findLastIndex(isNamed)]
    if (first >= 0) grow(tree, hops.slice(first, last + 1))
  }
  return tree
}

const isNamed = (hop: string) => hop !== ''

function grow(tree: ExpandTree, hops: readonly string[]): void {
  let node = tree
  for (const hop of hops) {
    const next: ExpandTree = node.get(hop) ?? new Map()
    node.set(hop, next)
    node = next
  }
}
