import type { Store } from '../../../collections/catalog.ts'
import type { Extensions } from '../../../records/extension.ts'
import { deleteRecords } from '../../../records/write/cascade.ts'
import { cancelMessage } from '../../../sms/queue/cancel.ts'
import { logChanged } from '../../../sms/status/status.ts'
import { redactCopies } from '../../../sms/sweep/retention.ts'
import { invalid, type Parameters, TwilioRefusal } from '../refusal.ts'
import { findMessage, renderMessage } from './message.ts'

/** SQL: the message is in a final status, or sent; only then it can be redacted and deleted. */
const IS_OVER = `m.status || '' in ('sent', 'delivered', 'failed', 'received')`

/** Cancels a message, removes its text, or both. Throws 404, 20001, 30409, 20009. */
export async function changeMessage(store: Store, user: string, sid: string, parameters: Parameters) {
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
async function redact(store: Store, user: string, id: string): Promise<void> {
  await store.db.transaction(async (db) => {
    const { rows } = await db.query(REDACT, [id, user])
    if (rows.length === 0) throw tooEarly()
    const inside = { db, catalog: store.catalog }
    await logChanged(inside, 'conversations', 'update', await redactCopies(db, [id]))
  })
}

const LOCK = `select m.id from sms_messages m where m.id = $1 and m."user" || '' = $2 and ${IS_OVER} for update`

/** Deletes a message. Throws 404, 20009 for one that is not over. */
export async function deleteMessage(store: Store, extensions: Extensions, user: string, sid: string) {
  const { id } = await findMessage(store, user, sid)
  await store.db.transaction(async (db) => {
    const { rows } = await db.query(LOCK, [id, user])
    if (rows.length === 0) throw tooEarly()
    const messages = store.catalog.find('sms_messages')!
    await deleteRecords({ db, catalog: store.catalog }, extensions, messages, [id])
  })
}

const tooEarly = () =>
  new TwilioRefusal(20009, 'The message is not over yet: its text stays until it is sent')
