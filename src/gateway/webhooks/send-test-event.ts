import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { formatNow } from '../../engine/fields/parse-date.ts'
import { evaluateSql } from '../../platform/db/call-function.ts'
import { queries } from '../../platform/db/queries.ts'
import { writeRow } from '../../platform/db/write-row.ts'
import { makeOverLimit } from '../../platform/limits/limit-holder.ts'
import { makeRandomId } from '../../platform/tools/random.ts'
import { type Owner, requireOpenWebhook } from './require-webhook-owner.ts'
import type { StartedDelivery } from './resend-deliveries.ts'

/** The name of test events. Webhooks need not subscribe to it. */
export const TEST_EVENT = 'webhook.test'

const MAX_WAITING = 3
const RETRY_AFTER_SECONDS = 5
/** Queues a test event. Throws 404, 409 for a disabled webhook, 429 if too many tests of it wait. */
export async function sendTestEvent(
  store: Store,
  owner: Owner,
  webhook: string,
): Promise<StartedDelivery> {
  const [id, eventId] = [makeRandomId(), makeRandomId()]
  await store.db.transaction(async (db) => {
    const user = await requireOpenWebhook(db, owner, webhook, 'no key update')
    const { tests } = await queries(db)
      .selectFrom('webhook_dispatch')
      .select(({ fn }) => fn.countAll<number>().as('tests'))
      .where('webhook', '=', webhook)
      .where('event', '=', sql.lit(TEST_EVENT))
      .executeTakeFirstOrThrow()
    if (tests >= MAX_WAITING)
      throw makeOverLimit('tests that wait of this webhook', true, RETRY_AFTER_SECONDS)
    const call = writeRow('webhook_call', {
      delivery: id,
      webhook,
      user,
      event_id: eventId,
      event: TEST_EVENT,
      image: JSON.stringify(makeSampleMessage(user)),
    })
    await evaluateSql(db, sql`webhook_queue(array[${call}::webhook_call])`)
  })
  return { id, event_id: eventId, event: TEST_EVENT, status: 'pending' }
}

/** A sample message to a test number of Twilio, as a row of `sms_messages`. Absent columns are empty. */
export function makeSampleMessage(user: string) {
  const at = formatNow()
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
