import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { now } from '../../engine/fields/date.ts'
import { evaluate } from '../../platform/db/call.ts'
import { queries } from '../../platform/db/queries.ts'
import { overLimit } from '../../platform/limits/holder.ts'
import { randomId } from '../../platform/tools/random.ts'
import { type Owner, requireOpen } from './require-webhook-owner.ts'
import type { Started } from './resend-deliveries.ts'

/** The name of test events. Webhooks need not subscribe to it. */
export const TEST_EVENT = 'webhook.test'

const MAX_WAITING = 3
const RETRY_AFTER_SECONDS = 5
/** Queues a test event. Throws 404, 409 for a disabled webhook, 429 if too many tests of it wait. */
export async function sendTest(store: Store, owner: Owner, webhook: string): Promise<Started> {
  const [id, eventId] = [randomId(), randomId()]
  await store.db.transaction(async (db) => {
    const user = await requireOpen(db, owner, webhook, 'no key update')
    const { tests } = await queries(db)
      .selectFrom('webhook_dispatch')
      .select(({ fn }) => fn.countAll<number>().as('tests'))
      .where('webhook', '=', webhook)
      .where('event', '=', sql.lit(TEST_EVENT))
      .executeTakeFirstOrThrow()
    if (tests >= MAX_WAITING)
      throw overLimit('tests that wait of this webhook', true, RETRY_AFTER_SECONDS)
    const call = sql`row(${id}, ${webhook}, ${user}, ${eventId}, ${TEST_EVENT}, null, ${JSON.stringify(sampleRow(user))}, null)::webhook_call`
    await evaluate(db, sql`webhook_queue(array[${call}])`)
  })
  return { id, event_id: eventId, event: TEST_EVENT, status: 'pending' }
}

/** A sample message to a test number of Twilio, as a row of `sms_messages`. Absent columns are empty. */
export function sampleRow(user: string) {
  const at = now()
  return {
    id: 'testmessage0000',
    status: 'delivered',
    to: '+15005550006',
    body: 'This is a test of your webhook.',
    message_type: 'outgoing',
    segments: 1,
    guarantee: 'at_most_once',
    sent_at: at,
    delivered_at: at,
    user,
    created: at,
    updated: at,
  }
}
