import { hash } from 'node:crypto'
import { sql } from 'kysely'
import { formatNow } from '../../engine/fields/parse-date.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries, writeTimeInSeconds } from '../../platform/db/queries.ts'
import { writeDaysAgo, writePeriodsSql } from '../base/retention-periods.ts'
import type { Offer } from '../messages/send/offer.ts'
import type { Hook } from './hook-settings.ts'

/** now() is when the transaction began, before it waited for the hook's lock. */
const TRUE_NOW = sql<Date>`clock_timestamp()`

/**
 * The texts of a hook in its current hour. An hour begins with the first send after the previous hour. `key`:
 * SHA-256 of the event's name; '' if the event has no name or the hook sends repeated events. `sent`: short
 * messages (segments), a text to several recipients counts once. `held`: calls held back. `phones`:
 * recipients of the scheduled summary, which is sent at `endsAt`. `quietUntil`: the end of the quiet hours;
 * '' outside.
 */
export type Window = Awaited<ReturnType<typeof loadRateWindow>>

/** Reads what a locked hook sent in its current hour. `event`: the event's name, '' for none. */
export async function loadRateWindow(db: Db, { id, once_minutes }: Hook, event: string) {
  const isNamed = event !== '' && once_minutes > 0
  const key = isNamed ? hash('sha256', event, 'base64url') : ''
  // clock_timestamp(): now() is when the transaction began, before it waited for the hook's lock
  const clock = sql<{ now: Date; ends: Date | null; zone: string }>`(
    select clock_timestamp() as now, w.began + interval '1 hour' as ends, sms_time_zone(h."user") as zone)`
  const window = await queries(db)
    .selectFrom('hooks as h')
    .leftJoin('hook_windows as w', 'w.hook', 'h.id')
    .crossJoinLateral(clock.as('c'))
    .select([
      sql<boolean>`exists (
        select from hook_once o where o.hook = ${id} and o.key = ${key} and o.until > c.now)`.as(
        'wasSent',
      ),
      sql<boolean>`coalesce(c.ends > c.now, false)`.as('isOpen'),
      sql<number>`w.sent`.as('sent'),
      sql<number>`w.held`.as('held'),
      sql<string[]>`array(select m."to" from sms_messages m where m.id = any(w.summary))`.as(
        'phones',
      ),
      sql<string>`coalesce(pb_text(sms_quiet_until(h.quiet_from, h.quiet_to, '{}', c.zone, c.now)), '')`.as(
        'quietUntil',
      ),
      sql<string>`pb_text(coalesce(sms_quiet_until(h.quiet_from, h.quiet_to, '{}', c.zone, c.ends), c.ends))`.as(
        'endsAt',
      ),
    ])
    .where('h.id', '=', id)
    .executeTakeFirstOrThrow()
  return { ...window, key }
}

/** Adds a sent text's segments to the current hour, or begins a new hour. Stores that the event was sent. */
export async function recordSentText(db: Db, hook: Hook, window: Window, segments: number) {
  await rememberHookCall(db, hook, window)
  if (window.isOpen) await addToHour(db, hook, segments)
  else await beginHour(db, hook, segments)
}

const addToHour = (db: Db, { id }: Hook, segments: number) =>
  queries(db)
    .updateTable('hook_windows')
    .set((eb) => ({ sent: eb('sent', '+', segments) }))
    .where('hook', '=', id)
    .execute()

const beginHour = (db: Db, { id }: Hook, sent: number) =>
  queries(db)
    .insertInto('hook_windows')
    .values({ hook: id, began: TRUE_NOW, sent })
    .onConflict((found) =>
      found
        .column('hook')
        .doUpdateSet(({ ref }) => ({ began: ref('excluded.began'), sent, held: 0, summary: [] })),
    )
    .execute()

/**
 * Counts a call above the hourly limit. Adds the messages of `summary` to the hour's scheduled summaries and
 * updates the text of them all.
 */
export async function recordHeldText(db: Db, hook: Hook, window: Window, summary: Offer) {
  await rememberHookCall(db, hook, window)
  const ids = summary.messages.map(({ id }) => id)
  await queries(db)
    .with('held', (query) =>
      query
        .updateTable('hook_windows')
        .set({ held: sql<number>`held + 1`, summary: sql<string[]>`summary || ${ids}::text[]` })
        .where('hook', '=', hook.id)
        .returning('summary'),
    )
    .updateTable('sms_messages')
    .set({ body: summary.body!, updated: formatNow() })
    .where('id', 'in', sql<string>`(select unnest(summary) from held)`)
    .where('status', '=', 'pending')
    .execute()
}

/** Stores that an event was sent, so that it is not sent again. Without a `key`, stores nothing. */
export async function rememberHookCall(
  db: Db,
  { id, once_minutes }: Hook,
  { key }: Window,
): Promise<void> {
  if (!key) return
  const until = sql<Date>`clock_timestamp() + ${once_minutes} * interval '1 minute'`
  await queries(db)
    .insertInto('hook_once')
    .values({ hook: id, key, until })
    .onConflict((found) =>
      found.columns(['hook', 'key']).doUpdateSet(({ ref }) => ({ until: ref('excluded.until') })),
    )
    .execute()
}

/**
 * Deletes expired events, the counts of past hours, and calls older than `days`, or than their account keeps
 * sent texts: a call has the words of its texts. Run it periodically.
 */
export async function deleteOldHookCalls(db: Db, days: number): Promise<void> {
  await queries(db).deleteFrom('hook_once').where('until', '<', sql<Date>`now()`).execute()
  await queries(db)
    .deleteFrom('hook_windows')
    .where('began', '<', writeTimeInSeconds(-86_400))
    .execute()
  await queries(db)
    .deleteFrom('hook_calls as c')
    .where('c.created', '<', ({ selectFrom, ref }) =>
      selectFrom(writePeriodsSql(ref('c.user'), days).as('p')).select(
        writeDaysAgo(sql.ref('p.outgoing')).as('old'),
      ),
    )
    .execute()
}
