import { type BaseCollection, Catalog, type Store } from '../../collections/catalog.ts'
import { readField, readNew } from '../../collections/definition/complete.ts'
import type { Db } from '../../db/open.ts'
import { badRequest } from '../../errors.ts'
import type { Field, FieldTypeName } from '../../fields/field.ts'
import { compile } from '../../filter/compile.ts'
import type { CompiledFilter } from '../../filter/compiled-filter.ts'
import { namesIn, parseFilter } from '../../filter/parse.ts'
import { readSort } from '../../filter/sort.ts'
import type { Extensions } from '../../records/extension.ts'
import { listRecords } from '../../records/list.ts'
import { pickFields } from '../../records/pick.ts'
import type { RequestInfo } from '../../request/request.ts'

/** A list that is no collection. Its filters may name its own fields only. */
interface PlainList {
  readonly collection: BaseCollection
  readonly alone: Catalog
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

/** `filter` and `sort` of a query, for a Db's ticket. Throws 400, FilterError. PocketBase: tools/search */
export function compilePlain(list: PlainList, { ticket }: Db, request: RequestInfo): CompiledFilter {
  const { filter = '', sort = '' } = request.query
  const names = [...(filter && namesIn(parseFilter(filter))), ...readSort(sort).map(({ name }) => name)]
  if (!names.every((name) => !/[.:]/.test(name) || list.paths.test(name))) throw badRequest()
  const { alone, collection } = list
  return compile(alone, { collection, rule: '', filter, sort, request, ticket })
}

/** A page of a list as JSON. `write`: an item's JSON. Throws 400, FilterError. */
export async function listPlain(
  list: PlainList,
  { db }: Store,
  extensions: Extensions,
  request: RequestInfo,
  write: (row: Readonly<Record<string, unknown>>) => string,
): Promise<string> {
  compilePlain(list, db, request)
  const { fields, ...query } = request.query
  const { collection, alone: catalog } = list
  const whole = { ...request, query }
  const { items, ...page } = JSON.parse(await listRecords({ db, catalog }, extensions, collection, whole))
  const text = `{"items":[${items.map(write).join(',')}],${JSON.stringify(page).slice(1)}`
  return fields ? pickFields(text, fields, 'items') : text
}
