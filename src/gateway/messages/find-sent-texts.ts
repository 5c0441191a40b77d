import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { answerRecord, answerRecords } from '../../engine/records/answer-records.ts'
import { requireRule } from '../../engine/records/check-rules.ts'
import { mustGuardRows } from '../../engine/records/list.ts'
import { selectRows } from '../../engine/records/read-records.ts'
import type { RequestInfo } from '../../engine/request/request.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { makeIdSchema, makeTextSchema, makeWholeNumber } from '../base/body-schemas.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import type { Sender } from '../base/make-sender.ts'
import { findOwnTextsKey } from '../base/permissions.ts'

const MAX_IDS = 100
const MAX_PER_PAGE = 500
const MAX_PAGE = 100_000

const makeNumberQuery = (max: number) => z.coerce.number().pipe(makeWholeNumber(1, max)).optional()

/** The parameters of a list of sent texts. A text must have all that are given. */
export const SENT_QUERY = z.strictObject({
  ids: makeIdSchema()
    .transform((list) => list.split(',').map((one) => one.trim()))
    .refine(({ length }) => length <= MAX_IDS, `must have at most ${MAX_IDS} items`)
    .optional()
    .describe(`Ids out of the answers to sends, with commas between: at most ${MAX_IDS}.`),
  client_ref: makeIdSchema(255).optional().describe('The `client_ref` of the send.'),
  batch: makeIdSchema().optional().describe('The `batch_id` out of the answer to the send.'),
  page: makeNumberQuery(MAX_PAGE).describe('From 1.'),
  perPage: makeNumberQuery(MAX_PER_PAGE).describe('Texts on a page. Default 100.'),
  fields: makeTextSchema()
    .optional()
    .describe('Fields of each text, with commas between. Default: all.'),
})

export type SentTextChoice = Pick<z.output<typeof SENT_QUERY>, 'ids' | 'client_ref' | 'batch'>

interface Page {
  readonly items: readonly string[]
  readonly total: number
}

/**
 * Sent texts that the sender may see, in the order of the sends, as records in JSON, read by one statement.
 * Throws 400 if nothing is named.
 */
export async function findSentTexts(
  store: Store,
  sender: Sender,
  request: RequestInfo,
  named: SentTextChoice,
  { page = 1, perPage = 100 }: Pick<z.output<typeof SENT_QUERY>, 'page' | 'perPage'> = {},
): Promise<Page> {
  const { ids, client_ref, batch } = named
  if (ids === undefined && client_ref === undefined && batch === undefined)
    throw invalidRequest('Name texts by ids, client_ref or batch')
  const collection = store.catalog.find('sms_messages')!
  const kinds = Object.keys(NAMED).filter((kind) => named[kind as keyof typeof NAMED] !== undefined)
  const rows = await selectRows(store, {
    collection,
    rule: requireRule(collection, 'listRule', request.auth),
    request,
    where: (position) =>
      [
        writeSeen(position),
        ...kinds.map((kind, i) => NAMED[kind as keyof typeof NAMED](`$${position + 4 + i}`)),
      ].join(' AND '),
    params: [
      ...bindSeen(sender),
      perPage,
      perPage * (page - 1),
      ...kinds.map((kind) => named[kind as keyof typeof NAMED]),
    ],
    extra: () => 'count(*) OVER ()',
    orderBy: 'b._rowid',
    limit: (position) => `$${position + 2}::bigint OFFSET $${position + 3}::bigint`,
    isGuarded: mustGuardRows(collection, perPage),
    kind: `sent ${kinds} ${mustGuardRows(collection, perPage)}`,
  })
  const items = await answerRecords(store, collection, rows, request)
  return { items, total: Number(rows[0]?.[collection.fields.length] ?? 0) }
}

/** SQL of a condition for each way to name texts. Partial indexes answer the last two. */
const NAMED = {
  ids: (value: string) => `b."id" = any(${value}::text[])`,
  client_ref: (value: string) => `b.client_ref = ${value}::text AND b.client_ref <> ''`,
  batch: (value: string) => `b.batch_id = ${value}::text AND b.batch_id <> ''`,
}

/**
 * SQL: text `b` was sent for the account, by the sender's key if that may not see others. `|| ''`: no index
 * of the whole account may be read for a few texts. The values are those of `bindSeen`.
 */
const writeSeen = (position: number) =>
  `b."user" || '' = $${position}::text AND b.message_type || '' = 'outgoing'
    AND ($${position + 1}::text = '' OR b.sent_by || '' = $${position + 1}::text)`

const bindSeen = (sender: Sender) => [sender.user, findOwnTextsKey(sender) ?? '']

/** One sent text that the sender may see, as a record in JSON, read by one statement. Throws 404. */
export async function viewSentText(
  store: Store,
  sender: Sender,
  request: RequestInfo,
  id: string,
): Promise<string> {
  const collection = store.catalog.find('sms_messages')!
  const [row] = await selectRows(store, {
    collection,
    rule: requireRule(collection, 'listRule', request.auth),
    request,
    where: (position) => `b."id" = $${position + 2}::text AND ${writeSeen(position)}`,
    params: [...bindSeen(sender), id],
    isLookUp: true,
    kind: 'sent text',
  })
  if (!row) throw gatewayRefusal('message_not_found')
  return answerRecord(store, collection, row, request)
}
