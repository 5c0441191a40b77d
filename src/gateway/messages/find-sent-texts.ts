import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { requireRule } from '../../engine/records/check-rules.ts'
import { selectRows } from '../../engine/records/read-records.ts'
import { answerRecord, answerRecords } from '../../engine/records/view.ts'
import type { RequestInfo } from '../../engine/request/request.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import { matchAny, queries, writeUnindexed } from '../../platform/db/queries.ts'
import { makeIdSchema, makeTextSchema, makeWholeNumber } from '../base/body-schemas.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import type { Sender } from '../base/make-sender.ts'
import { findOwnTextsKey } from '../base/permissions.ts'
import { writeIsSeen } from './send/sending-permission.ts'

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
 * Sent texts that the sender may see, in the order of the sends, as records in JSON. Throws 400 if nothing is
 * named.
 */
export async function findSentTexts(
  store: Store,
  sender: Sender,
  request: RequestInfo,
  named: SentTextChoice,
  { page = 1, perPage = 100 }: Pick<z.output<typeof SENT_QUERY>, 'page' | 'perPage'> = {},
): Promise<Page> {
  const found = await selectNamedTexts(store, sender, named)
    .limit(perPage)
    .offset(perPage * (page - 1))
    .execute()
  const collection = store.catalog.find('sms_messages')!
  const rows = await selectRows(store, {
    collection,
    rule: requireRule(collection, 'listRule', request.auth),
    request,
    where: (position) => `b."id" = any($${position}::text[])`,
    params: [found.map((text) => text.id)],
    orderBy: 'b._rowid',
    isGuarded: true,
    kind: 'sent',
  })
  const items = await answerRecords(store, collection, rows, request)
  return { items, total: Number(found[0]?.total ?? 0) }
}

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
    where: (position) =>
      `b."id" = $${position}::text AND b."user" || '' = $${position + 1}::text AND b.message_type || '' = 'outgoing'
        AND ($${position + 2}::text = '' OR b.sent_by || '' = $${position + 2}::text)`,
    params: [id, sender.user, findOwnTextsKey(sender) ?? ''],
    isLookUp: true,
    kind: 'sent text',
  })
  if (!row) throw gatewayRefusal('message_not_found')
  return answerRecord(store, collection, row, request)
}

/** A query of the ids of these texts, each with the number of all. */
function selectNamedTexts(
  { db }: Store,
  sender: Sender,
  { ids, client_ref, batch }: SentTextChoice,
) {
  if (ids === undefined && client_ref === undefined && batch === undefined)
    throw invalidRequest('Name texts by ids, client_ref or batch')
  // `|| ''`: no index of the whole account may be read for a few texts
  return queries(db, 'shaped')
    .selectFrom('sms_messages as m')
    .select(['m.id', sql<number>`count(*) over ()`.as('total')])
    .where(writeUnindexed('m.user'), '=', sender.user)
    .where(writeUnindexed('m.message_type'), '=', 'outgoing')
    .where(writeIsSeen(sender))
    .$if(ids !== undefined, (texts) => texts.where('m.id', '=', matchAny(ids!)))
    .$if(batch !== undefined, (texts) =>
      texts.where('m.batch_id', '=', batch!).where('m.batch_id', '<>', sql.lit('')),
    )
    .$if(client_ref !== undefined, (texts) =>
      texts
        .where('m.user', '=', sender.user)
        .where('m.client_ref', '=', client_ref!)
        .where('m.client_ref', '<>', sql.lit('')),
    )
    .orderBy('m._rowid')
}
