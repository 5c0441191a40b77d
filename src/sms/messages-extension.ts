import type { Extension } from '../records/extension.ts'
import { clearLastTexts } from './conversations/incoming-texts.ts'
import { logChanged } from './status/status.ts'
import { refundQuota } from './usage/quota.ts'
import { totalSql } from './usage/totals.ts'
import { notifyCanceled } from './wake/wake.ts'

/** A deleted row of the queue: message, user, period, state, device, attempt. */
type Freed = [string, string, string, string, string, number]

/** Messages. Deleting an unclaimed one cancels it; `skip locked` avoids a deadlock with a claim. */
export const messagesExtension: Extension = {
  maxPerPage: 500,
  total: { by: 'user', sql: totalSql },
  search: { order: 'created', owner: 'user' },
  // for the index sms_messages_failed_or_waiting
  implied: {
    column: 'status',
    sql: (status) =>
      `(b.error_message <> '' OR ${status} <> 'failed') AND (b.line = '' OR ${status} <> 'pending')`,
  },
  authRequired: true,
  async afterDelete(store, ids) {
    const { rows } = await store.db.query(
      `delete from sms_dispatch where message in
        (select message from sms_dispatch where message = any($1) for update skip locked)
      returning message, "user", period, state, device, attempt`,
      [ids],
      'sms forget messages',
    )
    const freed = rows as Freed[]
    const unsent = freed.filter(([, , , state]) => state !== 'sending')
    for (const same of Map.groupBy(unsent, ([, user, period]) => `${user} ${period}`).values())
      await refundQuota(store, same[0]![1], same[0]![2], same.length)
    for (const [message, , , , device, attempt] of freed)
      if (device) await notifyCanceled(store.db, device, message, attempt)
    await logChanged(store, 'conversations', 'update', await clearLastTexts(store.db, ids))
  },
}

/** Events. An event that a superuser adds changes no message, so sms_events_noted queues no calls for it. */
export const eventsExtension: Extension = {
  async beforeCreate({ db }) {
    await db.query(`select set_config('pocketsms.added', 'yes', true)`, [], 'sms event added')
  },
}
