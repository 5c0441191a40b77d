import { sql } from 'kysely'
import type { Extension } from '../../engine/records/collection-extension.ts'
import { callFunction } from '../../platform/db/call-function.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import { makeAccountSender } from '../base/make-sender.ts'
import { logChanged } from '../base/message-status.ts'
import { requirePermit } from '../base/permissions.ts'
import { refundQuota } from '../base/quota-usage.ts'
import { notifyCanceled } from '../lines/wake-devices.ts'
import { clearLastTexts } from './clear-last-texts.ts'
import { writeTotalSql } from './message-totals.ts'
import { cancelWaitingTexts } from './queue/cancel-messages.ts'

/** Rules of messages. Deleting an unclaimed message cancels and refunds it. */
export const messagesExtension: Extension = {
  maxPerPage: 500,
  total: { by: 'user', sql: writeTotalSql },
  search: { order: 'created', owner: 'user' },
  covering: {
    table: 'sms_messages_brief',
    columns: ['user', 'status', 'message_type', 'created'],
    indexes: [
      ['user', 'status', 'created'],
      ['status', 'created'],
    ],
  },
  authRequired: true,
  async afterDelete(store, ids) {
    // `skip locked`: waiting for rows that a claim has locked could deadlock
    const freed = await queries(store.db)
      .deleteFrom('sms_dispatch')
      .where('message', 'in', ({ selectFrom }) =>
        selectFrom('sms_dispatch')
          .select('message')
          .where('message', '=', matchAny(ids))
          .forUpdate()
          .skipLocked(),
      )
      .returning(['message', 'user', 'period', 'state', 'device', 'attempt'])
      .execute()
    const unsent = freed.filter(({ state }) => state !== 'sending')
    for (const same of Map.groupBy(unsent, ({ user, period }) => `${user} ${period}`).values())
      await refundQuota(store, same[0]!.user, same[0]!.period, same.length)
    for (const { message, device, attempt } of freed)
      if (device) await notifyCanceled(store.db, device, message, attempt)
    await logChanged(store, 'conversations', 'update', await clearLastTexts(store.db, ids))
  },
}

/**
 * Rules of templates. Who may not write automatic answers may not change what they say: agents cannot change
 * or delete the template of one.
 */
export const templatesExtension: Extension = {
  writeRule: (auth) => (auth?.limits === 'agent' ? `auto_answers_via_template.id = ''` : ''),
}

/** Rules of events. One that a superuser adds changes no message, so it causes no webhook calls. */
export const eventsExtension: Extension = {
  async beforeCreate({ db }) {
    await callFunction(db, 'set_config', 'pocketsms.added', 'yes', true)
  },
}

/** Locks campaigns before their messages, as a pause does. None waits of one that ended and is settled. */
const lockBatches = (db: Db, campaigns: readonly string[]) =>
  queries(db)
    .selectFrom('campaigns as c')
    .crossJoinLateral(
      sql<{
        batch: string
      }>`(select json_array_elements_text(c.batches) union select c.former_batch)`.as<'b'>(
        sql`b(batch)`,
      ),
    )
    .select(['c.user', 'c.id', 'b.batch'])
    .where('c.id', '=', matchAny(campaigns))
    .where('b.batch', '<>', '')
    .where(sql<boolean>`not (c.settled and c.status in ('done', 'canceled', 'failed'))`)
    .orderBy('c.id')
    .forUpdate('c')
    .execute()

/** Rules of campaigns. Deleting a campaign cancels its waiting messages. */
export const campaignsExtension: Extension = {
  async beforeDelete(store, ids) {
    for (const { user, id, batch } of await lockBatches(store.db, ids))
      await cancelWaitingTexts(store, requirePermit(makeAccountSender(user, id), 'cancel'), batch)
  },
}
