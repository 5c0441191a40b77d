import { type RawBuilder, sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { gatewayRefusal } from '../base/gateway-errors.ts'
import { findOwnTextsKey, type Permit } from '../base/permissions.ts'
import { cancelBatch, cancelOnce } from './queue/cancel-messages.ts'
import type { SendingCaller } from './require-sender.ts'

/** A larger batch, from another API of this server, is refused: the answer has no pages. */
const MAX_RECIPIENTS = 1_000

/** A send: its id, which the client may have chosen, and `ref`, the id of its message or batch. */
export type SendRow = Readonly<{ id: string; ref: string; isBatch: boolean; created: string }>

/** A send of SMSGate's API by its id. `key`: the API key that must have sent it, '' for any. */
const findOwnSend = (db: Db, user: string, id: string, key: string) =>
  queries(db, 'lookUp')
    .selectFrom('sms_origins as s')
    .select(['s.id', 's.ref', 's.is_batch as isBatch', 's.created'])
    .where('s.user', '=', user)
    .where('s.api', '=', 'smsgate')
    .where('s.id', '=', id)
    .$if(key !== '', (sends) =>
      sends.where(
        sql<boolean>`(${isSentBy(key, sql`m.id = s.ref`)}
          or ${isSentBy(key, sql`m.batch_id between s.ref and s.ref and m.batch_id <> ''`)})`,
      ),
    )
    .executeTakeFirst()

/** A batch, else a message, of this server's other APIs. `key`: as in `findOwnSend`. */
const findOtherSend = (db: Db, user: string, id: string, key: string) =>
  queries(db)
    .selectFrom(
      sql<SendRow & { place: number; size: number }>`(
        (select 2 as place, b.batch_id as id, b.batch_id as ref, true as "isBatch", b.created, (
          select count(*) from (
            select from sms_messages n where n.batch_id = ${id} limit ${sql.lit(MAX_RECIPIENTS + 1)}) counted) as size
        from sms_messages b
        where b.batch_id = ${id} and b.batch_id <> '' and b."user" || '' = ${user}
          and (${key} = '' or b.sent_by || '' = ${key}) limit 1)
        union all
        select 3, m.id, m.id, false, m.created, 0 from sms_messages m
        where m.id = ${id} and m."user" || '' = ${user} and m.message_type || '' = 'outgoing'
          and (${key} = '' or m.sent_by || '' = ${key})
      )`.as('found'),
    )
    .select(['id', 'ref', 'isBatch', 'created', 'size'])
    .orderBy('place')
    .limit(sql.lit(1))
    .executeTakeFirst()

/** SQL: one of these texts was sent by an API key. */
const isSentBy = (key: string, texts: RawBuilder<unknown>) =>
  sql`exists (select from sms_messages m where ${texts} and m.sent_by || '' = ${key})`

/** A send that the caller may see, by its id. Throws 404, and 400 for a batch that is too large to answer. */
export async function findSend(caller: SendingCaller, id: string): Promise<SendRow> {
  const { store, user } = caller
  const key = findOwnTextsKey(caller) ?? ''
  const own = await findOwnSend(store.db, user, id, key)
  if (own) return own
  const found = await findOtherSend(store.db, user, id, key)
  if (!found) throw gatewayRefusal('message_not_found')
  const { size, ...send } = found
  if (size > MAX_RECIPIENTS)
    throw invalidRequest(
      `This batch has more than ${MAX_RECIPIENTS} recipients: ask for /api/sms/batches/${send.ref}`,
    )
  return send
}

/** Cancels those messages of a send that no device has. Throws 409 `not_cancelable` if devices have all. */
export async function cancelSend(
  store: Store,
  permit: Permit,
  { ref, isBatch }: SendRow,
): Promise<void> {
  const isCanceled = isBatch
    ? (await cancelBatch(store, permit, ref)).canceled > 0
    : await cancelOnce(store, permit, ref)
  if (!isCanceled) throw gatewayRefusal('not_cancelable')
}

/** The send of SMSGate's API with this `ref`, the id of its message or batch. Throws 404. */
export async function sendOfRef({ db }: Store, user: string, ref: string): Promise<SendRow> {
  const found = await queries(db)
    .selectFrom('sms_origins')
    .select(['id', 'ref', 'is_batch as isBatch', 'created'])
    .where('user', '=', user)
    .where('ref', '=', ref)
    .where('api', '=', 'smsgate')
    .executeTakeFirst()
  if (!found) throw gatewayRefusal('message_not_found')
  return found
}
