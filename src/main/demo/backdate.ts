import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'

const dateText = (ms: number) => new Date(ms).toISOString().replace('T', ' ')
const SECOND_MS = 1_000

/** Moves a text and its events to an earlier instant: the demo's inbox shows the texts of a whole day. */
export async function backdate(db: Db, message: string, at: number): Promise<void> {
  const created = dateText(at)
  await queries(db).updateTable('sms_events').set({ created }).where('message', '=', message).execute()
  const texts = queries(db).updateTable('sms_messages').where('id', '=', message)
  const done = dateText(at + SECOND_MS)
  await texts
    .set({ created, sent_at: done, delivered_at: done })
    .where('message_type', '=', 'outgoing')
    .execute()
  await texts.set({ created, delivered_at: created }).where('message_type', '=', 'incoming').execute()
  await queries(db)
    .updateTable('conversations')
    .set({ last_at: created })
    .where('last_message', '=', message)
    .execute()
}
