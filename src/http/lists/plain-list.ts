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
import { namesIn } from '../../filter/parse/names.ts'
import { parseFilter } from '../../filter/parse/parse.ts'
import type { RequestInfo } from '../../request/request.ts'

/** A list that is no collection. Its filters may name its own fields only. */
export interface PlainList {
  readonly collection: BaseCollection
  readonly alone: Catalog
  /** Allowed paths into fields. */
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

/** Whether a name is a field without path or modifier, or an allowed path. */
const isName = (list: PlainList, name: string): boolean => !/[.:]/.test(name) || list.paths.test(name)

/** `filter` and `sort` of a query, on the ticket of a Db. Throws 400. PocketBase: tools/search */
export function compilePlain(list: PlainList, { ticket }: Db, request: RequestInfo): CompiledFilter {
  const { filter = '', sort = '' } = request.query
  try {
    const names = [...(filter && namesIn(parseFilter(filter))), ...readSort(sort).map(({ name }) => name)]
    if (!names.every((name) => isName(list, name))) throw badRequest()
    const { alone, collection } = list
    return compile(alone, { collection, rule: '', filter, sort, request, ticket })
  } catch (error) {
    throw error instanceof FilterError ? badRequest() : error
  }
}
