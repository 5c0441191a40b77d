import { createHash } from 'node:crypto'
import type { Db } from '../db/open.ts'
import { list, number, type Row, run, runForRow, statement, text } from '../db/statement.ts'
import { formatDate } from '../fields/date.ts'
import { countSegments } from '../portable/segments.ts'
import type { Offer } from '../sms/send/accept.ts'
import type { Hook } from './hook.ts'

// `clock_timestamp()`: `now()` is the time before the wait for the lock
const READ = statement('hook window', {
  wasSent: 'boolean',
  /** SHA-256 of the name of the event; '' for an event without a name. */
  key: 'string',
  isOpen: 'boolean',
  /** Short messages that were sent to each recipient. */
  sent: 'number',
  /** Calls that were held back, and the recipients of the scheduled summary. */
  held: 'number',
  phones: 'string[]',
  /** The end of the quiet hours, '' outside of them; when the summary is sent. */
  quietUntil: 'string',
  endsAt: 'string',
})`
select exists (select from hook_once o where o.hook = ${text('id')} and o.key = ${text('key')} and o.until > c.now) as "wasSent", ${text('key')} as key,
  coalesce(c.ends > c.now, false) as "isOpen", w.sent, w.held,
  array(select m."to" from sms_messages m where m.id = any(w.summary)) as phones,
  coalesce(pb_text(sms_quiet_until(h.quiet_from, h.quiet_to, '{}', c.zone, c.now)), '') as "quietUntil",
  pb_text(coalesce(sms_quiet_until(h.quiet_from, h.quiet_to, '{}', c.zone, c.ends), c.ends)) as "endsAt"
from hooks h left join hook_windows w on w.hook = h.id
cross join lateral (
  select clock_timestamp() as now, w.began + interval '1 hour' as ends, sms_time_zone(h."user") as zone
) c
where h.id = ${text('id')}`

/** What a hook has sent in its current hour, which begins with the first call after the last hour. */
export type Window = Row<typeof READ>

/** Reads the window of a locked hook. `event`: '' for one without a name. */
export async function readWindow(db: Db, { id, once_minutes }: Hook, event: string): Promise<Window> {
  const isNamed = event !== '' && once_minutes > 0
  const key = isNamed ? createHash('sha256').update(event).digest('base64url') : ''
  return (await runForRow(db, READ, { id, key }))!
}

const MAX_PHONES = 1_000

/** The summary at the end of a window, for recipients of a held-back call who do not get one yet. */
export function summaryOf({ name }: Hook, { held, phones, endsAt }: Window, offer: Offer): Offer {
  const body = `${name}: and ${held + 1} more`
  const { segments } = countSegments(body)
  const others = offer.messages.filter(({ to }) => !phones.includes(to))
  const messages = others.slice(0, MAX_PHONES - phones.length).map((message) => ({ ...message, segments }))
  return { ...offer, body, messages, scheduledAt: endsAt, later: true }
}

const REMEMBER = statement('hook once', {})`
insert into hook_once (hook, key, until)
values (${text('id')}, ${text('key')}, clock_timestamp() + ${number('once_minutes')} * interval '1 minute')
on conflict (hook, key) do update set until = excluded.until`
const COUNT = 'update hook_windows set sent = sent + $2::int where hook = $1'
const OPEN = `
insert into hook_windows (hook, began, sent) values ($1, clock_timestamp(), $2)
on conflict (hook) do update set began = excluded.began, sent = excluded.sent, held = 0, summary = '{}'`
const HOLD = statement('hook hold', {})`
with held as (
  update hook_windows set held = held + 1, summary = summary || ${list('ids')}::text[] where hook = ${text('id')} returning summary
)
update sms_messages set body = ${text('body')}, updated = ${text('updated')}
where id in (select unnest(summary) from held) and status = 'pending'`

/** Counts a sent text by its segments. */
export async function noteSent(db: Db, hook: Hook, window: Window, segments: number): Promise<void> {
  await remember(db, hook, window)
  await db.query(window.isOpen ? COUNT : OPEN, [hook.id, segments], `hook count ${window.isOpen}`)
}

/** Counts a held-back call, and stores the messages of the summary that it adds. */
export async function noteHeld(db: Db, hook: Hook, window: Window, summary: Offer): Promise<void> {
  await remember(db, hook, window)
  const ids = summary.messages.map(({ id }) => id)
  await run(db, HOLD, { id: hook.id, ids, body: summary.body!, updated: formatDate(new Date()) })
}

/** Stores that an event was sent, if it has a name. */
export async function remember(db: Db, { id, once_minutes }: Hook, { key }: Window): Promise<void> {
  if (key) await run(db, REMEMBER, { id, key, once_minutes })
}

/** Deletes old events, windows and calls. Call it from time to time. */
export async function cleanUpHooks(db: Db, days: number): Promise<void> {
  await db.query('delete from hook_once where until < now()')
  await db.query(`delete from hook_windows where began < now() - interval '1 day'`)
  const before = formatDate(new Date(Date.now() - days * 86_400_000))
  await db.query('delete from hook_calls where created < $1', [before])
}
