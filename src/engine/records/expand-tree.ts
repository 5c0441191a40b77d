/** Relations to expand, by name, each with the relations to expand in its records. */
export type ExpandTree = Map<string, ExpandTree>

/** Parses `expand` into a tree, without empty or repeated paths. PocketBase: core/record_query_expand.go */
export function readExpand(param: string): ExpandTree {
  const tree: ExpandTree = new Map()
  for (const part of param.split(',')) {
    const hops = part.replaceAll(' ', '').split('.')
    const [first, last] = [hops.findIndex(Boolean), hops.findLastIndex(Boolean)]
    let node = tree
    for (const hop of hops.slice(first, last + 1)) {
      const next: ExpandTree = node.get(hop) ?? new Map()
      node.set(hop, next)
      node = next
    }
  }
  return tree
}
