import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { loadAgentState } from '../../programs/agent/agent-state.ts'
import { callServer } from '../../programs/agent/server-link.ts'
import {
  DEMO_PATIENCE_MS,
  type DemoData,
  type DemoPhone,
  ensureContact,
  findFirstRecord,
  requestApi,
  watchMessages,
} from './demo-data.ts'

/** Incoming messages: age in minutes, sender, text, and the answer ('' for none). */
const TEXTS = [
  [
    340,
    'Grace Okafor',
    'Hi, is my bike ready?',
    'Yes, since this morning. We are open until 6 pm.',
  ],
  [280, 'Henry Walsh', 'Do you repair e-bikes, too?', 'We do. Bring the charger with you, please.'],
  [200, 'Isla Novak', 'Can I come on Saturday at ten?', 'Saturday at ten it is. See you then!'],
  [95, 'Jonas Weber', 'Do you have the blue helmet in M?', ''],
  [50, 'Kofi Mensah', 'The brake squeals again. Shall I come by?', ''],
  [25, 'Lea Rossi', 'Thank you, the new chain runs well.', ''],
  [18, 'Nadia Petrova', 'Is there parking in front of your shop?', ''],
  [12, 'Oscar Brown', 'Running ten minutes late, sorry!', ''],
  [6, 'Maya Lind', 'What does a full service cost?', ''],
] as const
const MINUTE_MS = 60_000
const ANSWER_MS = 4 * MINUTE_MS

const makeDemoNumber = (at: number) => `+4477009002${10 + at}`

/** Makes texts of the last hours arrive at the first phone, and answers some. Does nothing in later runs. */
export async function fillInbox(
  { user, id: owner }: DemoData,
  phones: readonly DemoPhone[],
  db: Db,
): Promise<void> {
  if (await findFirstRecord(user, 'contacts', `phone = "${makeDemoNumber(0)}"`)) return
  for (const [at, [, name]] of TEXTS.entries())
    await ensureContact(user, { user: owner, name, phone: makeDemoNumber(at) })
  const items = TEXTS.map(([minutes, , body], at) => ({
    from: makeDemoNumber(at),
    body,
    received_at: new Date(Date.now() - minutes * MINUTE_MS).toISOString(),
  }))
  const phone = loadAgentState(phones[0]!.stateFile)
  const { body: stored } = await callServer<{ ids: string[] }>(phone, '/api/devices/incoming', {
    items,
  })
  const answers: [id: string, at: number][] = []
  for (const [at, [minutes, , , body]] of TEXTS.entries()) {
    const received = Date.now() - minutes * MINUTE_MS
    await backdateMessage(db, stored.ids[at]!, received)
    if (!body) continue
    const number = makeDemoNumber(at)
    const sent = { recipients: [number], body }
    const { message_ids } = await requestApi<{ message_ids: string[] }>(
      user,
      'POST',
      '/api/sms/send',
      sent,
    )
    answers.push([message_ids[0]!, received + ANSWER_MS])
    const conversation = await findFirstRecord(user, 'conversations', `number = "${number}"`)
    await requestApi(user, 'PATCH', `/api/collections/conversations/records/${conversation?.id}`, {
      unread: 0,
    })
  }
  const sent = answers.map(([id]) => id)
  await watchMessages(user, sent, phones, DEMO_PATIENCE_MS, () => {})
  for (const [id, at] of answers) await backdateMessage(db, id, at)
}

const formatDateText = (ms: number) => new Date(ms).toISOString().replace('T', ' ')
const SECOND_MS = 1_000

/** Moves a text and its events to an earlier instant: the demo's inbox shows the texts of a whole day. */
async function backdateMessage(db: Db, message: string, at: number): Promise<void> {
  const created = formatDateText(at)
  await queries(db)
    .updateTable('sms_events')
    .set({ created })
    .where('message', '=', message)
    .execute()
  const texts = queries(db).updateTable('sms_messages').where('id', '=', message)
  const done = formatDateText(at + SECOND_MS)
  await texts
    .set({ created, sent_at: done, delivered_at: done })
    .where('message_type', '=', 'outgoing')
    .execute()
  await texts
    .set({ created, delivered_at: created })
    .where('message_type', '=', 'incoming')
    .execute()
  await queries(db)
    .updateTable('conversations')
    .set({ last_at: created })
    .where('last_message', '=', message)
    .execute()
}
