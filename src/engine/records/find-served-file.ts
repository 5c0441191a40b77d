import { sql } from 'kysely'
import { notFound } from '../../platform/api-errors.ts'
import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import { toColumnName, toTableName } from '../collections/sql-names.ts'
import { findFieldSource } from '../collections/views/view-fields.ts'
import { type FileField, isMulti } from '../fields/field.ts'
import { listChosenTexts } from '../fields/field-types.ts'
import type { FilePlace } from '../files/stored-files.ts'
import { NO_REQUEST, type RequestInfo } from '../request/request.ts'
import { catchRuleFault, limitCatalog } from './check-rules.ts'
import { makeIdCondition, selectRows } from './read-records.ts'
import { toValues } from './record-row.ts'

/** Finds a file, or throws 404. For a protected file, `ask` returns a request to check, or true: allowed. */
export async function findServedFile(
  store: Store,
  collection: Collection,
  id: string,
  name: string,
  ask: () => Promise<RequestInfo | true>,
) {
  const row = (
    await selectRows(store, { collection, rule: '', request: NO_REQUEST, ...makeIdCondition(id) })
  )[0]
  const values = row && toValues(collection, row)
  const field = collection.fields.find(
    (one): one is FileField =>
      one.type === 'file' && listChosenTexts(values?.[one.name] ?? '').includes(name),
  )
  if (!field) throw notFound()
  const asker = !field.protected || (await ask())
  if (asker !== true && !(await maySeeFile(store, collection, id, asker))) throw notFound()
  const place =
    collection.type === 'view'
      ? await findPlaceInSource(store, collection, field.name, name)
      : { collection: collection.id, record: id, name }
  if (!place) throw notFound()
  return { place, field }
}

/** Whether the viewRule and, of a team member, the role allow the caller to see the record. */
async function maySeeFile(store: Store, collection: Collection, id: string, request: RequestInfo) {
  if (request.auth?.isSuperuser) return true
  const rule =
    limitCatalog(store.catalog, request.auth?.limits).find(collection.id)?.viewRule ?? null
  if (rule === null) return false
  const seen = await catchRuleFault(
    selectRows(store, { collection, rule, request, ...makeIdCondition(id) }),
    [],
  )
  return seen.length > 0
}

async function findPlaceInSource(
  store: Store,
  view: Collection & { type: 'view' },
  fieldName: string,
  name: string,
): Promise<FilePlace | undefined> {
  const source = findFieldSource(view, fieldName, store.catalog)
  if (!source) return undefined
  const { collection, field } = source
  const column = sql.id(toColumnName(field.name))
  const where = isMulti(field) ? sql`${name} = any(${column})` : sql`${column} = ${name}`
  const { rows } = await sql<{ id: string }>`
    select id from ${sql.id(toTableName(collection))} where ${where} limit 1`.execute(store.db)
  return rows[0] && { collection: collection.id, record: rows[0].id, name }
}
