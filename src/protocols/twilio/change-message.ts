import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { deleteRecords } from '../../engine/records/cascade.ts'
import { logChanged } from '../../gateway/base/message-status.ts'
import { requirePermit } from '../../gateway/base/permissions.ts'
import { auditAct } from '../../gateway/messages/queue/audit-message-change.ts'
import { cancelMessage } from '../../gateway/messages/queue/cancel-messages.ts'
import { redactCopies } from '../../gateway/retention/end-messages.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries, writeUnindexed } from '../../platform/db/queries.ts'
import type { Call } from './identify-account.ts'
import { fetchMessage, requireMessage } from './messages.ts'
import { makeInvalidError, TwilioRefusal } from './twilio-errors.ts'

/** SQL: the message was sent or is in a final status. Only then can it be redacted or deleted. */
const IS_OVER = sql<boolean>`status || '' in ('sent', 'delivered', 'failed', 'received')`

/**
 * Cancels a message, removes its text and files (in stored webhook deliveries, too), or does both. Throws
 * 404, TwilioRefusal 20001 for wrong parameters, 30409 if too late to cancel, 20009 if too early to remove.
 */
export async function changeMessage(call: Call) {
  const { store, user, sid, parameters } = call
  const { id } = await requireMessage(call, sid)
  const [status, body] = [parameters.get('Status') ?? '', parameters.get('Body')]
  if (status !== '' && status !== 'canceled')
    throw makeInvalidError("Status can be 'canceled' only")
  if (body !== undefined && body !== '') throw makeInvalidError('Body can only be made empty')
  if (status === '' && body === undefined) throw makeInvalidError('Body or Status is required')
  if (status !== '') await cancelMessage(store, requirePermit(call, 'cancel'), id)
  if (body !== undefined)
    await runIfOver(
      store,
      (db) => redactMessage(db, id, user),
      async (inside) => {
        await logChanged(inside, 'conversations', 'update', await redactCopies(inside.db, [id]))
        await auditAct(inside.db, { sender: call }, 'sms_messages', 'update', id, ['body'])
      },
    )
  return fetchMessage(call)
}

const redactMessage = (db: Db, id: string, user: string) =>
  queries(db)
    .updateTable('sms_messages')
    .set({ body: '', subject: '', attachments: [], updated: NOW })
    .where('id', '=', id)
    .where(writeUnindexed('user'), '=', user)
    .where(IS_OVER)
    .returning('id')
    .executeTakeFirst()

const lockMessage = (db: Db, id: string, user: string) =>
  queries(db)
    .selectFrom('sms_messages')
    .select('id')
    .where('id', '=', id)
    .where(writeUnindexed('user'), '=', user)
    .where(IS_OVER)
    .forUpdate()
    .executeTakeFirst()

/** Deletes a message. Throws 404, and TwilioRefusal 20009 for a message that still waits. */
export async function deleteMessage(call: Call): Promise<void> {
  const { services, store, user, sid } = call
  const { id } = await requireMessage(call, sid)
  const messages = store.catalog.find('sms_messages')!
  const remove = async (inside: Store) => {
    await deleteRecords(inside, services.extensions, messages, [id])
    await auditAct(inside.db, { sender: call }, 'sms_messages', 'delete', id)
  }
  await runIfOver(store, (db) => lockMessage(db, id, user), remove)
}

/** Runs `find` and then `work` in a transaction. Throws TwilioRefusal 20009 if `find` finds no message. */
const runIfOver = (
  store: Store,
  find: (db: Db) => Promise<object | undefined>,
  work: (inside: Store) => Promise<unknown>,
) =>
  store.db.transaction(async (db) => {
    if (await find(db)) return work({ db, catalog: store.catalog })
    throw new TwilioRefusal(20009, 'The message is not over yet: its text stays until it is sent')
  })
