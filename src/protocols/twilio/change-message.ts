import type { Store } from '../../collections/catalog.ts'
import { deleteRecords } from '../../records/cascade.ts'
import { cancelMessage } from '../../sms/queue/cancel.ts'
import { redactCopies } from '../../sms/retention/end-messages.ts'
import { may } from '../../sms/send/permit.ts'
import { logChanged } from '../../sms/status.ts'
import type { Call } from './account.ts'
import { fetchMessage, findMessage } from './messages.ts'
import { invalid, TwilioRefusal } from './refusals.ts'

/** SQL: the message was sent or is in a final status. Only then can it be redacted or deleted. */
const IS_OVER = `m.status || '' in ('sent', 'delivered', 'failed', 'received')`

/**
 * Cancels a message, removes its text and files (in stored webhook deliveries, too), or does both. Throws
 * 404, TwilioRefusal 20001 for wrong parameters, 30409 if too late to cancel, 20009 if too early to remove.
 */
export async function changeMessage(call: Call) {
  const { store, user, sid, parameters } = call
  const { id } = await findMessage(store, user, sid)
  const [status, body] = [parameters.get('Status') ?? '', parameters.get('Body')]
  if (status !== '' && status !== 'canceled') throw invalid("Status can be 'canceled' only")
  if (body !== undefined && body !== '') throw invalid('Body can only be made empty')
  if (status === '' && body === undefined) throw invalid('Body or Status is required')
  if (status !== '') await cancelMessage(store, may(call, 'cancel'), id)
  if (body !== undefined)
    await ifOver(store, REDACT, [id, user], async (inside) =>
      logChanged(inside, 'conversations', 'update', await redactCopies(inside.db, [id])),
    )
  return fetchMessage(call)
}

const REDACT = `
update sms_messages m set body = '', attachments = '{}', updated = pb_text(now())
where m.id = $1 and m."user" || '' = $2 and ${IS_OVER} returning m.id`

const LOCK = `select m.id from sms_messages m where m.id = $1 and m."user" || '' = $2 and ${IS_OVER} for update`

/** Deletes a message. Throws 404, and TwilioRefusal 20009 for a message that still waits. */
export async function deleteMessage({ services, store, user, sid }: Call): Promise<void> {
  const { id } = await findMessage(store, user, sid)
  const messages = store.catalog.find('sms_messages')!
  const remove = (inside: Store) => deleteRecords(inside, services.extensions, messages, [id])
  await ifOver(store, LOCK, [id, user], remove)
}

/** Runs `sql` and then `work` in a transaction. Throws TwilioRefusal 20009 if `sql` finds no message. */
const ifOver = (store: Store, sql: string, values: string[], work: (inside: Store) => Promise<unknown>) =>
  store.db.transaction(async (db) => {
    const { rows } = await db.query(sql, values)
    if (rows[0]) return work({ db, catalog: store.catalog })
    throw new TwilioRefusal(20009, 'The message is not over yet: its text stays until it is sent')
  })
