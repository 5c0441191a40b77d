import { isOwnedBy, unindexed } from '../../db/by-id.ts'
import { END_OF_TIME } from '../send/body.ts'
import { messageLogCte } from '../status/change-log.ts'

/** What becomes of messages that wait for their time; null leaves it as it is. */
export interface Change {
  /** In PocketBase's form; '' for now. */
  readonly scheduledAt: string | null
  /** In PocketBase's form; '' for never. */
  readonly expiresAt: string | null
  /** The same, in seconds from when it is due. */
  readonly ttl: number | null
  readonly body: string | null
  readonly segments: number | null
  readonly priority: number | null
}

/** The first parameters of `plannedChangeCtes`; those of its source begin with $8. */
export const changeParams = (user: string, change: Change): unknown[] => {
  const { scheduledAt, expiresAt, ttl, body, segments, priority } = change
  return [user, scheduledAt, expiresAt, ttl, body, segments, priority]
}

/**
 * CTEs that plan a change of a user's messages. `source` selects them (`d` queue row, `m` message). `what` is
 * empty if nothing changes; `unfit` if one would end before it is due. Paused campaigns are left out. Written
 * so that no index on user or state is used: see `isOwnedBy`.
 */
export const plannedChangeCtes = (source: string) => `
waiting as (
  select d.message, d.device, d.due_at, d.waiting_for, d.expires_at, d.priority, m.body, m.segments
  from sms_messages m join sms_dispatch d on d.message = m.id
  where ${isOwnedBy('m', '$1')} and ${isOwnedBy('d', '$1')} and ${unindexed('m.status')} = 'pending' and ${unindexed('d.state')} = 'pending' and d.due_at < 'infinity' and ${source}
), timed as (
  select w.*, case when $2::text = '' then date_trunc('milliseconds', now())
    else coalesce(nullif($2::text, '')::timestamptz, w.due_at) end as due
  from waiting w
), counted as (
  select t.*, case when $2::text is null and t.waiting_for <> '' then now() else t.due end as counted_from
  from timed t
), ended as (
  select t.*, case
      when $4::int is not null
        then least(t.counted_from + $4::int * interval '1 second', '${END_OF_TIME}'::timestamptz)
      when $3::text = '' then null
      else coalesce(nullif($3::text, '')::timestamptz, t.expires_at)
    end as ends
  from counted t
), wanted as (
  select e.message, e.device, e.due, e.ends, coalesce($7::int, e.priority) as next_priority,
    case when $2::text is null then e.waiting_for else '' end as waits_for,
    coalesce($5::text, e.body) as next_body, coalesce($6::float8, e.segments) as next_segments,
    coalesce($2::text, $3::text, $4::int::text) is not null and e.ends <= greatest(e.counted_from, now()) as unfit,
    concat_ws(', ',
      case when e.due <> e.due_at then 'time' end,
      case when e.ends is distinct from e.expires_at then 'expiry' end,
      case when $5::text <> e.body then 'text' end,
      case when $7::int <> e.priority then 'priority' end
    ) as what
  from ended e
)`

/** Applies that plan, or nothing if one is `unfit`, and returns `answer`. */
export const changeSql = (source: string, answer: string) => `
with ${plannedChangeCtes(source)}, fit as (
  select * from wanted where what <> '' and not exists (select from wanted where unfit)
), moved as (
  update sms_dispatch d set due_at = f.due, expires_at = f.ends, priority = f.next_priority,
    waiting_for = f.waits_for
  from fit f where d.message = f.message
), changed as (
  update sms_messages m set scheduled_at = case when f.waits_for = '' then pb_text(f.due) else m.scheduled_at end,
    expires_at = coalesce(pb_text(f.ends), ''), waiting_for = f.waits_for, priority = f.next_priority,
    body = f.next_body, segments = f.next_segments, updated = pb_text(now())
  from fit f where m.id = f.message returning m.id
), events as (
  insert into sms_events (id, "user", message, status, device, detail, created)
  select pb_new_id(), $1, message, 'pending', device, 'Changed: ' || what, pb_text(now()) from fit
), ${messageLogCte()}
${answer}`
