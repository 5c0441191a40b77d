import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { anyOf, NOW, queries } from '../db/queries.ts'
import { readPrefix } from '../portable/phone/prefix.ts'
import type { Extension } from '../records/extension.ts'
import { completeList, completeNumber } from './complete-numbers.ts'
import { clearLastTexts } from './conversations/inbox.ts'
import { checkPrices, requireRoomForPrices } from './line-prices.ts'
import { totalSql } from './message-totals.ts'
import { cancelWaiting } from './queue/cancel.ts'
import { accountSender, may } from './send/permit.ts'
import { logChanged } from './status.ts'
import { refundQuota } from './usage.ts'
import { notifyCanceled } from './wake.ts'

/** Rules of messages. Deleting an unclaimed message cancels and refunds it. */
export const messagesExtension: Extension = {
  maxPerPage: 500,
  total: { by: 'user', sql: totalSql },
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
          .where('message', '=', anyOf(ids))
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
  readsStrictly: true,
  writeRule: (auth) => (auth?.limits === 'agent' ? `auto_answers_via_template.id = ''` : ''),
}

/** Rules of events. One that a superuser adds changes no message, so it causes no webhook calls. */
export const eventsExtension: Extension = {
  async beforeCreate({ db }) {
    await queries(db).selectNoFrom(sql`set_config('pocketsms.added', 'yes', true)`.as('added')).execute()
  },
}

/** Locks campaigns before messages, as a pause does. Skips ended, settled ones: they have none waiting. */
const lockBatches = (db: Db, campaigns: readonly string[]) =>
  queries(db)
    .selectFrom('campaigns as c')
    .crossJoinLateral(
      sql<{
        batch: string
      }>`(select json_array_elements_text(c.batches) union select c.former_batch)`.as<'b'>(sql`b(batch)`),
    )
    .select(['c.user', 'c.id', 'b.batch'])
    .where('c.id', '=', anyOf(campaigns))
    .where('b.batch', '<>', '')
    .where(sql<boolean>`not (c.settled and c.status in ('done', 'canceled', 'failed'))`)
    .orderBy('c.id')
    .forUpdate('c')
    .execute()

/** Rules of campaigns. Deleting a campaign cancels its waiting messages. */
export const campaignsExtension: Extension = {
  readsStrictly: true,
  async beforeDelete(store, ids) {
    for (const { user, id, batch } of await lockBatches(store.db, ids))
      await cancelWaiting(store, may(accountSender(user, id), 'cancel'), batch)
  },
}

/** Gives a device's new number to its line, if the device has only one line. */
const renumber = (db: Db, device: string, old: string, number: string) =>
  queries(db)
    .with('changed', (query) =>
      query
        .updateTable('lines as l')
        .set({ number, updated: NOW })
        .where('l.device', '=', device)
        .where('l.number', '=', old)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('lines as o').where('o.device', '=', device).whereRef('o.id', '<>', 'l.id'))),
        )
        .returning('l.id'),
    )
    .selectFrom('changed')
    .select(sql`sms_lines_changed('update', array_agg(id))`.as('noted'))
    .having(({ fn }) => fn.countAll<number>(), '>', 0)
    .execute()

/** Rules of devices. Clients cannot set `last_seen`; only superusers may change `platform`. */
export const devicesExtension: Extension = {
  grantsAccess: true,
  setByServer: ['last_seen'],
  async beforeCreate(store, values) {
    await completeNumber(store, values, 'phone')
    values.last_seen = ''
  },
  async beforeUpdate(store, values, old, { auth }) {
    const { db } = store
    await completeNumber(store, values, 'phone', old)
    values.last_seen = old.last_seen!
    if (!auth?.isSuperuser) values.platform = old.platform!
    if (values.phone !== old.phone)
      await renumber(db, String(old.id), String(old.phone), String(values.phone))
  },
}

/** Rules of lines (SIMs). */
export const linesExtension: Extension = {
  keepsReferences: true,
  check: checkPrices,
  async beforeCreate(store, values) {
    await completeNumber(store, values, 'number')
    await completeList(store, values, 'prefixes', readPrefix)
    checkPrices(values)
  },
  async beforeUpdate(store, values, old) {
    await completeNumber(store, values, 'number', old)
    await completeList(store, values, 'prefixes', readPrefix, old)
    checkPrices(values)
    await requireRoomForPrices(store, values, old)
  },
}
