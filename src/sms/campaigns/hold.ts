import type { Store } from '../../collections/catalog.ts'
import { isOwnedBy, unindexed } from '../../db/statement.ts'
import type { Campaign } from './campaign.ts'

/** Maximum rows of a transaction, so that others wait briefly. */
const MAX_ROWS = 1_000

/** SQL that selects queued messages and locks them. $1: batches, $2: user, `which`: condition on `d`. */
const waiting = (which: string) => `
select d.message, d."user", m.scheduled_at from sms_messages m join sms_dispatch d on d.message = m.id
where m.batch_id = any($1::text[]) and m.batch_id <> '' and ${isOwnedBy('m', '$2')} and ${isOwnedBy('d', '$2')}
  and ${unindexed('m.status')} in ('pending', 'assigned') and ${which}
order by d.message limit ${MAX_ROWS} for update of d`

const EVENTS = `events as (
  insert into sms_events (id, "user", message, status, detail, created)
  select pb_new_id(), r."user", r.message, 'pending', $3, pb_text(now()) from rows r join changed c on c.id = r.message
)`

/** Takes unclaimed messages back from their devices. Due at infinity, so that the sweep leaves them alone. */
const HOLD = `
with rows as (${waiting(`${unindexed('d.state')} in ('pending', 'assigned') and d.due_at is distinct from 'infinity'`)}
), held as (
  update sms_dispatch d set due_at = 'infinity', state = 'pending', wake_at = null, wakes = 0,
    waiting_for = '', charged = '', device = case when d.pinned then d.device else '' end,
    line = case when d.line_pinned then d.line else '' end
  from rows r where d.message = r.message returning d.message, d.device
), changed as (
  update sms_messages m set status = 'pending', device = h.device, line = '', "from" = '', waiting_for = '',
    updated = pb_text(now())
  from held h where m.id = h.message returning m.id
), ${EVENTS}
select count(*) from rows`

/** Restores the due time: the sweep then hands the messages out. */
const RELEASE = `
with rows as (${waiting(`${unindexed('d.state')} = 'pending' and d.due_at = 'infinity'`)}
), freed as (
  update sms_dispatch d set due_at = greatest(now(), nullif(r.scheduled_at, '')::timestamptz)
  from rows r where d.message = r.message returning d.message
), changed as (
  update sms_messages m set updated = pb_text(now()) from freed f where m.id = f.message returning m.id
), ${EVENTS}
select count(*) from rows`

/** Locks the campaign against changes. Finds no row if it was changed since it was read. */
const UNCHANGED = 'select 1 from campaigns where id = $1 and xmin::text = $2 for share'

/** Holds all messages of a paused campaign. False when the campaign was changed meanwhile. */
export const holdMessages = (store: Store, campaign: Campaign) => inSteps(store, campaign, HOLD, 'Paused')

/** Releases held messages. False when the campaign was changed meanwhile. */
export const releaseMessages = (store: Store, campaign: Campaign) =>
  inSteps(store, campaign, RELEASE, 'Resumed')

async function inSteps(store: Store, campaign: Campaign, step: string, detail: string): Promise<boolean> {
  const { id, version, batches, user } = campaign
  for (;;) {
    const rows = await store.db.transaction(async (db) => {
      const unchanged = await db.query(UNCHANGED, [id, version])
      if (!unchanged.rows[0]) return undefined
      // unnamed, so that Postgres plans it for the present number of rows
      const done = await db.query(step, [batches, user, detail])
      return Number(done.rows[0]![0])
    })
    if (rows === undefined) return false
    if (rows === 0) return true
  }
}
