import { accountHolder } from '../../admission/ticket.ts'
import type { Catalog } from '../../collections/catalog.ts'
import type { Collection } from '../../collections/collection.ts'
import { compile } from '../../filter/compile/compile.ts'
import type { ExpandTree } from '../../records/expand/expand-paths.ts'
import { findRelation } from '../../records/expand/relation.ts'
import { isRuleFault } from '../../records/render/visibility.ts'
import type { RequestInfo } from '../../request/request.ts'

/**
 * Two requests with the same key get the same expand: the viewRules along the paths have the same conditions
 * and values. So a record is expanded once for both.
 */
export function expandKey(
  catalog: Catalog,
  from: Collection,
  tree: ExpandTree,
  request: RequestInfo,
): string {
  const { auth } = request
  const viewer = auth && accountHolder(auth.collection.id, auth.id)
  const inExpand: RequestInfo = { ...request, context: 'expand' }
  const walk = (collection: Collection, paths: ExpandTree): unknown[] =>
    [...paths].map(([name, rest]) => {
      const target = findRelation(catalog, collection, name)?.target
      if (!target) return null
      // each viewer sees its own email
      const who = target.type === 'auth' ? viewer : null
      return [ruleKey(catalog, target, inExpand), who, ...walk(target, rest)]
    })
  return JSON.stringify(walk(from, tree))
}

function ruleKey(catalog: Catalog, collection: Collection, request: RequestInfo): unknown {
  const rule = request.auth?.isSuperuser ? '' : collection.viewRule
  if (!rule) return rule
  try {
    const { key, params } = compile(catalog, { collection, rule, filter: '', sort: '', request })
    return [key, params]
  } catch (error) {
    if (isRuleFault(error)) return null
    throw error
  }
}
