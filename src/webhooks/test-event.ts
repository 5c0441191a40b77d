import { z } from 'zod'
import { overLimit } from '../admission/refusal.ts'
import type { Store } from '../collections/catalog.ts'
import { now } from '../fields/types/date.ts'
import { randomId } from '../tools/random.ts'
import { type Owner, requireOpen } from './hook.ts'

/** What a test event is called; no webhook has to ask for it. */
export const TEST_EVENT = 'webhook.test'

/** A delivery that was set going. */
export const STARTED = z
  .object({
    id: z.string().describe('Of its record in webhook_deliveries, which says what becomes of it.'),
    event_id: z.string().describe('The webhook-id that the receiver gets.'),
    event: z.string().describe('The type of the event.'),
    status: z.enum(['pending']),
  })
  .meta({ id: 'StartedDelivery' })
/** The same as a type. */
export type Started = Readonly<z.output<typeof STARTED>>

const QUEUE = `select webhook_queue(array[row($1, $2, $3, $4, '${TEST_EVENT}', null, $5, null)::webhook_call])`

/** Tests of a webhook that may wait at a time, retries included. */
const MAX_WAITING = 3
const RETRY_AFTER_SECONDS = 5
const COUNT = `select count(*) from webhook_dispatch where webhook = $1 and event = '${TEST_EVENT}'`

/** Sends a test event and returns the delivery. Throws 404, 409, 429 for too many. */
export async function sendTest(store: Store, owner: Owner, webhook: string): Promise<Started> {
  const [id, eventId] = [randomId(), randomId()]
  await store.db.transaction(async (db) => {
    const user = await requireOpen(db, owner, webhook, 'no key update')
    const { rows } = await db.query(COUNT, [webhook], 'webhook tests')
    if (Number(rows[0]![0]) >= MAX_WAITING)
      throw overLimit('tests that wait of this webhook', true, RETRY_AFTER_SECONDS)
    await db.query(QUEUE, [id, webhook, user, eventId, JSON.stringify(sampleRow(user))])
  })
  return { id, event_id: eventId, event: TEST_EVENT, status: 'pending' }
}

/** A message as in the table, with a number reserved for fiction. */
function sampleRow(user: string): Readonly<Record<string, unknown>> {
  const at = now()
  return {
    id: 'testmessage0000',
    status: 'delivered',
    to: '+15005550006',
    from: '',
    body: 'This is a test of your webhook.',
    message_type: 'outgoing',
    device: '',
    batch_id: '',
    segments: 1,
    priority: 0,
    sim: 0,
    scheduled_at: '',
    expires_at: '',
    guarantee: 'at_most_once',
    client_ref: '',
    sent_at: at,
    delivered_at: at,
    error_message: '',
    user,
    created: at,
    updated: at,
  }
}
