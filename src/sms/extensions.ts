import type { Extension } from '../records/extension.ts'
import { clearLastTexts } from './conversations/incoming-texts.ts'
import { cancelWaiting } from './edit/cancel.ts'
import { logChanged } from './status/status.ts'
import { refundQuota } from './usage/quota.ts'
import { totalSql } from './usage/totals.ts'
import { notifyCanceled } from './wake/wake.ts'

/** message, user, period, state, device, attempt */
type Freed = [string, string, string, string, string, number]

/** Messages. Deleting an unclaimed one cancels it; `skip locked` avoids a deadlock with a claim. */
export const messagesExtension: Extension = {
  maxPerPage: 500,
  total: { by: 'user', sql: totalSql },
  search: { order: 'created', owner: 'user' },
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

/** Events. One that a superuser adds changes no message: sms_events_noted queues no calls for it. */
export const eventsExtension: Extension = {
  async beforeCreate({ db }) {
    await db.query(`select set_config('pocketsms.added', 'yes', true)`, [], 'sms event added')
  },
}

/** Locked first, as by a pause. A finished, settled campaign has no waiting messages. */
const UNFINISHED = `
select "user", batch from campaigns c
cross join lateral (select json_array_elements_text(c.batches) union select c.former_batch) b(batch)
where c.id = any($1::text[]) and batch <> '' and not (c.settled and c.status in ('done', 'canceled', 'failed'))
order by c.id for update of c`

/** Campaigns: what waits of a deleted one is canceled. */
export const campaignsExtension: Extension = {
  readsStrictly: true,
  async beforeDelete(store, ids) {
    const { rows } = await store.db.query(UNFINISHED, [ids])
    for (const [user, batch] of rows) await cancelWaiting(store, String(user), String(batch))
  },
}

/** The number of a device's only line changes with the device's. */
const RENUMBER = `
with changed as (
  update lines l set number = $3, updated = pb_text(now())
  where l.device = $1 and l.number = $2 and not exists (
    select from lines o where o.device = $1 and o.id <> l.id)
  returning l.id
)
select sms_lines_changed('update', array_agg(id)) from changed having count(*) > 0`

/** Devices. `last_seen` is measured, not set by clients; only superusers change what a device is. */
export const devicesExtension: Extension = {
  grantsAccess: true,
  setByServer: ['last_seen'],
  async beforeCreate(_store, values) {
    values.last_seen = ''
  },
  async beforeUpdate({ db }, values, old, { auth }) {
    values.last_seen = old.last_seen!
    if (!auth?.isSuperuser) values.platform = old.platform!
    if (values.phone !== old.phone)
      await db.query(RENUMBER, [old.id, old.phone, values.phone], 'sms renumber line')
  },
}
