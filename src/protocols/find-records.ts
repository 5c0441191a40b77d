import { requireRule } from '../engine/records/check-rules.ts'
import { compileList, findPage } from '../engine/records/list.ts'
import { toValues, type Values } from '../engine/records/record-row.ts'
import { NO_REQUEST } from '../engine/request/request.ts'
import type { SendingCaller } from '../gateway/messages/require-sender.ts'
import type { GatewayServices } from './gateway-services.ts'

/** A list's part of at most `limit` records, behind the first `offset`. Filter and sort are PocketBase's. */
interface ListPart {
  readonly filter?: string
  readonly sort: string
  readonly limit: number
  readonly offset?: number
}

export interface ListCaller extends Pick<SendingCaller, 'store' | 'auth'> {
  readonly services: Pick<GatewayServices, 'extensions'>
}

/** Finds the records of a collection that its rule shows the caller, as stored, and counts them all. */
export async function findRecords(
  { store, auth, services: { extensions } }: ListCaller,
  name: string,
  { filter = '', sort, limit, offset = 0 }: ListPart,
): Promise<{ readonly total: number; readonly records: readonly Values[] }> {
  const collection = store.catalog.find(name)!
  const request = { ...NO_REQUEST, auth, query: { filter, sort } }
  const rule = requireRule(collection, 'listRule', auth)
  const page = { page: 1n, perPage: limit, offset: BigInt(offset), skipTotal: false }
  const list = compileList(store, extensions.get(collection.id), collection, rule, request, page)
  const { rows, total } = await findPage(store, list, request)
  return { total, records: rows.map((row) => toValues(collection, row)) }
}
