/** What is to be expanded: relations by name, each with what is to be expanded in its records. */
export type ExpandTree = Map<string, ExpandTree>

/**
 * The `expand` parameter as a tree: spaces and outer dots removed, empty paths left out. A path that only
 * leads to a longer one is part of it. PocketBase: core/record_query_expand.go, normalizeExpands
 */
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
