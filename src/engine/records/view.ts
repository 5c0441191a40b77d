import { notFound } from '../../platform/api-errors.ts'
import type { Store } from '../collections/catalog.ts'
import type { Collection } from '../collections/collection.ts'
import type { RequestInfo } from '../request/request.ts'
import {
  checkAuthVersion,
  describeVersionSql,
  listVersionValues,
  writeAuthVersionSql,
} from './check-auth-version.ts'
import { catchRuleFault, requireRule } from './check-rules.ts'
import type { Extensions } from './collection-extension.ts'
import { expandRecords } from './expand.ts'
import { readExpand } from './expand-tree.ts'
import { addVisibility } from './field-visibility.ts'
import { selectRows } from './read-records.ts'
import type { RecordRow } from './record-row.ts'
import { writeRecords } from './render.ts'

/** One record as JSON. Throws 403, 404, and StaleAuth if the caller's auth record has changed. */
export async function viewRecord(
  store: Store,
  extensions: Extensions,
  collection: Collection,
  request: RequestInfo,
  id: string,
): Promise<string> {
  const { authRequired } = extensions.get(collection.id) ?? {}
  const rule = requireRule(collection, 'viewRule', request.auth, authRequired)
  const row = await findViewedRow(store, collection, rule, request, id)
  return answerRecord(store, collection, row, request)
}

/** The record of an id, if the rule allows it. Throws 404, and StaleAuth as `viewRecord`. */
export async function findViewedRow(
  store: Store,
  collection: Collection,
  rule: string,
  request: RequestInfo,
  id: string,
): Promise<RecordRow> {
  const { auth } = request
  const found = selectRows(store, {
    collection,
    rule,
    request,
    where: (position) => `b."id" = $${position}::text`,
    extra: (position) => writeAuthVersionSql(auth, position + 1),
    params: [id, ...listVersionValues(auth)],
    isLookUp: true,
    kind: `view ${describeVersionSql(auth)}`,
  })
  const [row] = await catchRuleFault(found, [])
  if (!row) throw notFound()
  checkAuthVersion(auth, row[collection.fields.length])
  return row
}

/** Each row as JSON, with visible fields and expanded records. Throws 400 for too many records or bytes. */
export async function answerRecords(
  store: Store,
  collection: Collection,
  rows: readonly RecordRow[],
  request: RequestInfo,
  extra?: Readonly<Record<string, unknown>>,
): Promise<string[]> {
  const found = await addVisibility(store, collection, rows, request)
  const shown = extra ? found.map((one) => ({ ...one, extra })) : found
  const { expand } = request.query
  if (expand) await expandRecords(store, shown, readExpand(expand), request)
  return writeRecords(shown, request)
}

/** `extra`: members of the answer that the record does not have. */
export async function answerRecord(
  store: Store,
  collection: Collection,
  row: RecordRow,
  request: RequestInfo,
  extra?: Readonly<Record<string, unknown>>,
): Promise<string> {
  const [text] = await answerRecords(store, collection, [row], request, extra)
  return text!
}
