import type { Store } from '../../engine/collections/catalog.ts'
import { logChanged } from '../../gateway/base/message-status.ts'
import { requirePermit } from '../../gateway/base/permissions.ts'
import { auditAct } from '../../gateway/messages/queue/audit-message-change.ts'
import { cancelMessage } from '../../gateway/messages/queue/cancel-messages.ts'
import { deleteTexts } from '../../gateway/messages/texts-of-origin.ts'
import { lockOver, redactCopies, redactOver } from '../../gateway/retention/end-messages.ts'
import type { Db } from '../../platform/db/open.ts'
import type { Call } from './identify-account.ts'
import { fetchMessage, requireMessage } from './messages.ts'
import { makeInvalidError, TwilioRefusal } from './twilio-errors.ts'

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
      (db) => redactOver(db, id, user),
      async (inside) => {
        await logChanged(inside, 'conversations', 'update', await redactCopies(inside.db, [id]))
        await auditAct(inside.db, { sender: call }, 'sms_messages', 'update', id, ['body'])
      },
    )
  return fetchMessage(call)
}

/** Deletes a message. Throws 404, and TwilioRefusal 20009 for a message that still waits. */
export async function deleteMessage(call: Call): Promise<void> {
  const { services, store, user, sid } = call
  const { id } = await requireMessage(call, sid)
  const remove = async (inside: Store) => {
    await deleteTexts(inside, services.extensions, [id])
    await auditAct(inside.db, { sender: call }, 'sms_messages', 'delete', id)
  }
  await runIfOver(store, (db) => lockOver(db, id, user), remove)
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
