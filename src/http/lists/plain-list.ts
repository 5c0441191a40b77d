import { Catalog } from '../../collections/catalog.ts'
import type { BaseCollection } from '../../collections/collection.ts'
import { readField } from '../../collections/definition/field-shapes.ts'
import { readNew } from '../../collections/definition/read.ts'
import type { Db } from '../../db/open.ts'
import { badRequest } from '../../errors.ts'
import type { Field, FieldTypeName } from '../../fields/field.ts'
import { compile } from '../../filter/compile/compile.ts'
import type { CompiledFilter } from '../../filter/compile/compiled-filter.ts'
import { readSort } from '../../filter/compile/sort.ts'
import { FilterError } from '../../filter/errors.ts'
import { parseFilter } from '../../filter/parse/parse.ts'
import type { Node, Token } from '../../filter/parse/tree.ts'
import type { RequestInfo } from '../../request/request.ts'

/** A list that is no collection. Its filters may name its own fields only. */
export interface PlainList {
  readonly collection: BaseCollection
  readonly alone: Catalog
  /** Paths that may be asked for beside the fields. */
  readonly paths: RegExp
}

/** A list of these fields of a table or view. `paths`: allowed paths into fields; default none. */
export function plainList(
  name: string,
  fields: readonly (readonly [name: string, type: FieldTypeName])[],
  paths = /(?!)/,
): PlainList {
  const read = (field: string, type: FieldTypeName): Field => readField({ name: field, type })
  const collection = {
    ...readNew({ name }),
    id: name,
    isInternal: true,
    fields: fields.map(([field, type]) => read(field, type)),
  } as BaseCollection
  return { collection, alone: new Catalog([collection]), paths }
}

function isKnown(list: PlainList, token: Token): boolean {
  if (token.kind === 'function') return token.args.every((one) => isKnown(list, one))
  if (token.kind !== 'identifier') return true
  return isName(list, token.text)
}

/** No path and no modifier, but for those of the list. */
const isName = (list: PlainList, name: string): boolean => !/[.:]/.test(name) || list.paths.test(name)

const isPlain = (list: PlainList, node: Node): boolean =>
  node.kind === 'comparison'
    ? isKnown(list, node.left) && isKnown(list, node.right)
    : node.items.every((item) => isPlain(list, item))

/** `filter` and `sort` of a query, on the ticket of a Db. Throws 400. PocketBase: tools/search */
export function compilePlain(list: PlainList, { ticket }: Db, request: RequestInfo): CompiledFilter {
  const { filter = '', sort = '' } = request.query
  try {
    if (filter && !isPlain(list, parseFilter(filter).root)) throw badRequest()
    if (!readSort(sort).every(({ name }) => isName(list, name))) throw badRequest()
    const { alone, collection } = list
    return compile(alone, { collection, rule: '', filter, sort, request, ticket })
  } catch (error) {
    throw error instanceof FilterError ? badRequest() : error
  }
}
