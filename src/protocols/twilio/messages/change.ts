import type { Store } from '../../../collections/catalog.ts'
import { deleteRecords } from '../../../records/write/cascade.ts'
import { cancelMessage } from '../../../sms/queue/cancel.ts'
import { logChanged } from '../../../sms/status/status.ts'
import { redactCopies } from '../../../sms/sweep/retention.ts'
import type { Call } from '../description.ts'
import { invalid, TwilioRefusal } from '../refusal.ts'
import { findMessage, renderMessage } from './message.ts'

/** SQL: the message is in a final status, or sent; only then it can be redacted and deleted. */
const IS_OVER = `m.status || '' in ('sent', 'delivered', 'failed', 'received')`

/** Cancels a message, removes its text, or both. Throws 404, 20001, 30409, 20009. */
export async function changeMessage({ store, user, sid, parameters }: Call) {
  const { id } = await findMessage(store, user, sid)
  const [status, body] = [parameters.get('Status') ?? '', parameters.get('Body')]
  if (status !== '' && status !== 'canceled') throw invalid("Status can be 'canceled' only")
  if (body !== undefined && body !== '') throw invalid('Body can be made empty only')
  if (status === '' && body === undefined) throw invalid('Body or Status is required')
  if (status !== '') await cancelMessage(store, user, id)
  if (body !== undefined) await redact(store, user, id)
  return renderMessage(await findMessage(store, user, sid), user)
}

const REDACT = `
update sms_messages m set body = '', attachments = '{}', updated = pb_text(now())
where m.id = $1 and m."user" || '' = $2 and ${IS_OVER} returning m.id`

/** Removes the text and the files of a message, also from the deliveries of webhooks that kept it. */
const redact = (store: Store, user: string, id: string) =>
  ifOver(store, REDACT, [id, user], async (inside) =>
    logChanged(inside, 'conversations', 'update', await redactCopies(inside.db, [id])),
  )

const LOCK = `select m.id from sms_messages m where m.id = $1 and m."user" || '' = $2 and ${IS_OVER} for update`

/** Deletes a message. Throws 404, 20009 for one that is not over. */
export async function deleteMessage({ services, store, user, sid }: Call): Promise<void> {
  const { id } = await findMessage(store, user, sid)
  const messages = store.catalog.find('sms_messages')!
  const remove = (inside: Store) => deleteRecords(inside, services.extensions, messages, [id])
  await ifOver(store, LOCK, [id, user], remove)
}

/** Runs `work` in one transaction with `sql`, if that finds the message. Throws 20009 if not. */
const ifOver = (store: Store, sql: string, values: string[], work: (inside: Store) => Promise<unknown>) =>
  store.db.transaction(async (db) => {
    const { rows } = await db.query(sql, values)
    if (rows[0]) return work({ db, catalog: store.catalog })
    throw new TwilioRefusal(20009, 'The message is not over yet: its text stays until it is sent')
  })
