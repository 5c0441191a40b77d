import type { Db } from '../../db/open.ts'
import { isAmong, textsOf } from '../../db/statement.ts'
import { availableDevices, onlineSince } from '../devices/device.ts'
import { stickySince } from '../send/accept.ts'
import { eventsCte, idMayBecome, mayBecome, REASONS } from '../status.ts'
import { failMessages, reassign } from './fail-or-reassign.ts'
import { isOptedOut } from './opt-out.ts'

/**
 * SQL: the devices with queued messages. Skips in the index from device to device: 0.1 ms for 200,000
 * messages; `distinct` takes 25 ms.
 */
export const DEVICES_IN_QUEUE = `(
  with recursive held(device) as (
    (select device from sms_dispatch where device > '' order by device limit 1)
    union all
    select (select q.device from sms_dispatch q where q.device > h.device order by q.device limit 1)
    from held h where h.device is not null
  ) select device from held where device is not null)`

/** Maximum messages for each step of a sweep. The next sweep, a second later, takes others. */
const MAX_ROWS = 1_000
/** After this many wake-ups of a device that claims nothing, its messages go to another device. */
const MAX_WAKES = 3
/** SQL: a device is silent if it claims nothing for this time, longer if limits per minute delay claims. */
const SILENCE = `case
    when v.per_minute > 0 or exists (select from lines l where l.device = v.id and l.per_minute > 0)
    then interval '90 seconds' else interval '45 seconds' end`
const UNCLAIMED = 'The device did not claim it'
/** SQL: the device was woken MAX_WAKES times, and the pause after the last time has passed, or more often. */
const IS_LATE = `(wakes > ${MAX_WAKES} or wakes = ${MAX_WAKES} and wake_at <= now())`

/** Makes a step of a sweep that fails the messages selected by `sql`. `name`: of the prepared statement. */
const failing = (name: string, reason: string, sql: string) => async (db: Db) => {
  await failMessages(db, { name, sql }, reason)
  return []
}
/** Makes a step of a sweep that gives the messages selected by `sql` to other devices. */
const reassigning = (name: string, sql: string) => (db: Db, seconds: number) =>
  reassign(db, { name, sql }, seconds)

/** Fails messages that a device claimed but did not report in time, and that must not be sent again. */
export const failExpiredLeases = failing(
  'silent',
  REASONS.silent,
  `select d.* from sms_dispatch d
  where d.state = 'sending' and d.lease_until <= now()
    and (not d.at_least_once or d.expires_at <= now() or ${isOptedOut('d')})
  order by d.lease_until limit ${MAX_ROWS} for update skip locked`,
)

/** Fails messages that expired before a device claimed them. */
export const endExpired = failing(
  'expired',
  REASONS.expired,
  `select d.* from sms_dispatch d
  where d.state <> 'sending' and d.expires_at <= now()
  order by d.expires_at limit ${MAX_ROWS} for update skip locked`,
)

export const endOrphaned = failing(
  'orphaned',
  REASONS.deviceDeleted,
  `select d.* from ${DEVICES_IN_QUEUE} p
  join sms_dispatch d on d.device = p.device and d.pinned and d.state <> 'sending'
  where not exists (select from devices v where v.id = p.device)
  limit ${MAX_ROWS} for update of d skip locked`,
)

export const endLineless = failing(
  'lineless',
  REASONS.lineDeleted,
  `select d.* from sms_dispatch d
  where d.state = 'pending' and d.due_at <= now() and d.line_pinned
    and not exists (select from lines l where l.id = d.line)
  order by d.due_at limit ${MAX_ROWS} for update skip locked`,
)

/** Reassigns messages whose lease expired and that may be sent twice. Lines' limits count both attempts. */
export const retryExpiredLeases = reassigning(
  'retriable',
  `select d.message, d."user", d.device, d.line, '' as charged, d.state, d.pinned, d.position, d.attempt,
    'The device went silent' as why
  from sms_dispatch d
  where d.state = 'sending' and d.lease_until <= now() and d.at_least_once
  order by d.lease_until limit ${MAX_ROWS} for update skip locked`,
)

/** SQL: unclaimed messages that may be taken from device `s`, which seems to be gone. */
const LEFT_LYING = `sms_dispatch d where d.device = s.device and d.state = 'assigned' and not d.pinned
    and (s.why <> '${UNCLAIMED}' or ${IS_LATE})`

/** Reassigns unclaimed messages of devices that are deleted, disabled, offline or silent. */
export const reassignUnclaimed = reassigning(
  'stuck',
  `
with suspects as materialized (
  select p.device, case
      when v.id is null then 'The device was deleted'
      when not v.enabled then 'The device was disabled'
      when v.last_seen < ${onlineSince('$1')} and not pb_is_set(v.push) then 'The device went offline'
      when not exists (
        select from device_handouts o where o.device = p.device and o.at > now() - ${SILENCE}
      ) then '${UNCLAIMED}'
    end as why
  from ${DEVICES_IN_QUEUE} p left join devices v on v.id = p.device
), judged as materialized (
  select s.device, s.why from suspects s
  cross join lateral (select d."user" from ${LEFT_LYING} limit 1) h
  where s.why is not null and exists (select from ${availableDevices('h."user"', '$1')} o where o.id <> s.device)
)
select d.*, s.why from judged s cross join lateral (
  select d.message, d."user", d.device, d.line, d.charged, d.state, d.pinned, d.position, d.attempt from ${LEFT_LYING}
  order by d.priority desc, d.position limit ${MAX_ROWS} for update skip locked
) d limit ${MAX_ROWS}`,
)

/** Wakes devices for unclaimed messages: 5, 15, 45 and 120 s after the assignment, then every 5 minutes. */
const REWAKE = `
with late as (
  select message from sms_dispatch where state = 'assigned' and wake_at <= now()
  order by wake_at limit ${MAX_ROWS * 5} for update skip locked
), woken as (
  update sms_dispatch d
  set wakes = d.wakes + 1,
    wake_at = now() + coalesce((array[5, 10, 30, 75])[d.wakes + 1], 300) * interval '1 second'
  from late where d.message = late.message
  returning d.device
)
select distinct device from woken`

/** Returns devices to wake now. A named statement kept its plan for an empty queue: 1.3 s, not 50 ms. */
export const wakeUnclaimed = async (db: Db) => textsOf(await db.query(REWAKE))

const MAX_ROWS_OF_USER = 200

/** SQL: a pending message is due and may be given a line. */
const IS_DUE = `d.state = 'pending' and d.due_at <= now() and (d.expires_at is null or d.expires_at > now())
    and ${idMayBecome('d.message', 'assigned')}`

/** SQL: user `u` has a line that can send. With a real device, simulated lines do not count. */
const CAN_SEND = `exists (select from sms_ranked_lines(u."user", ${onlineSince('$1')}) l where l.rank is not null)`

const COLUMNS =
  'd.message, d."user", d.device, d.line, d.pinned, d.line_pinned, d.lines, d.quiet_zone, d.position, d.priority'

const SCHEDULED = `
users as (
  select distinct "user" from sms_dispatch
  where state = 'pending' and due_at <= now() and device = '' and waiting_for = ''
), choices as (
  select u."user" from users u where ${CAN_SEND}
), found as (
  select ${COLUMNS} from sms_dispatch d
  where ${IS_DUE} and d.waiting_for = '' and (d.device <> '' or d."user" in (select "user" from choices))
  order by d.due_at, d.position limit ${MAX_ROWS} for update skip locked
)`

/** SQL: due messages that waited for a line below its limits or for quiet hours to end; 200 of each user. */
const WAITING = `
users as (
  select "user", min(due_at) as since from sms_dispatch
  where state = 'pending' and due_at <= now() and waiting_for <> '' group by "user"
), choices as materialized (
  select u."user" from users u where ${CAN_SEND} order by u.since limit ${MAX_ROWS / MAX_ROWS_OF_USER}
), found as (
  select d.* from choices c cross join lateral (
    select ${COLUMNS} from sms_dispatch d
    where ${IS_DUE} and d.waiting_for <> '' and d."user" = c."user"
    order by d.priority desc, d.position limit ${MAX_ROWS_OF_USER} for update skip locked
  ) d
)`

/**
 * SQL that assigns due messages to lines, by the rules for new sends. If all lines are at a limit, a message
 * waits until one is not; if no line fits, for a minute. A device that the request names may be offline.
 * $1: deviceOnlineSeconds; $2: a date. A line that exchanged texts with the number since then is preferred.
 */
const releaseSql = (source: string) => `
with ${source}, due as (
  select d.*, row_number() over (partition by d."user" order by d.priority desc, d.position) as n
  from found d where not ${isOptedOut('d')}
), texts as (
  select d."user", json_agg(json_build_object('n', d.n, 'to', m."to", 'sim', m.sim,
    'device', case when d.pinned then d.device end, 'line', case when d.line_pinned then d.line end,
    'zone', d.quiet_zone, 'lines', d.lines
  ) order by d.n) as texts
  from due d join sms_messages m on m.id = d.message and ${isAmong('m.id', 'due')} group by d."user" order by d."user"
), given as materialized (
  select t."user", a.* from texts t
  cross join lateral sms_assign(t."user", ${onlineSince('$1')}, now(), $2, false, t.texts) a
), target as (
  select d.message, d."user", coalesce(g.device, d.device) as device, coalesce(g.line, d.line) as line,
    coalesce(g.number, '') as number, g.charged,
    case when g.line is null then coalesce(g.room_at, now() + interval '1 minute') end as room_at,
    case when g.line is null then coalesce(nullif(g.reason, ''), 'room') else '' end as reason
  from due d join given g on g."user" = d."user" and g.n = d.n
), moved as (
  update sms_dispatch d set device = t.device, line = t.line, charged = t.charged,
    state = case when t.room_at is null then 'assigned' else 'pending' end,
    waiting_for = t.reason,
    due_at = coalesce(t.room_at, d.due_at), wakes = (t.room_at is null)::int,
    wake_at = case when t.room_at is null then now() + sms_wake_interval() end
  from target t where d.message = t.message and ${isAmong('d.message', 'target')}
), changed as (
  update sms_messages m set status = case when t.room_at is null then 'assigned' else 'pending' end,
    device = t.device, line = case when t.room_at is null then t.line else '' end, "from" = t.number,
    waiting_for = t.reason, updated = pb_text(now())
  from target t where m.id = t.message and ${isAmong('m.id', 'target')} and (t.room_at is null or m.waiting_for <> t.reason) returning m.id
), ${eventsCte(
  `t."user", t.message, case when t.room_at is null then 'assigned' else 'pending' end, t.device, 0,
    case t.reason when 'room' then 'No line has room' when 'quiet_hours' then 'Quiet hours' else '' end`,
  'target t join changed c on c.id = t.message',
)}
select distinct device from target where room_at is null`

/** SQL that takes the messages of `source` (CTE `stale`) from their devices. `releaseDue` reassigns them. */
const returnSql = (source: string) => `
with recursive ${source}, returned as (
  update sms_dispatch d set state = 'pending', waiting_for = s.waiting_for, due_at = s.due, wake_at = null,
    wakes = 0, charged = '', device = case when d.pinned then d.device else '' end,
    line = case when d.line_pinned then d.line else '' end
  from stale s where d.message = s.message
), changed as (
  update sms_messages m set status = 'pending', waiting_for = s.waiting_for, line = '', "from" = '',
    device = case when s.pinned then s.device else '' end, updated = pb_text(now())
  from stale s where m.id = s.message and ${isAmong('m.id', 'stale')} and ${mayBecome('m', 'pending')} returning m.id
), ${eventsCte(`s."user", s.message, 'pending', '', 0, s.why`, 'stale s join changed c on c.id = s.message')}
select 1`

/** SQL: assigned messages charged to a past day's limits, or whose line is off or fails (`charged`: '-'). */
const OF_NO_LINE = `
owners("user", day) as (
  (select d."user", d.charged from sms_dispatch d where d.state = 'assigned' and d.charged <> ''
    order by d."user", d.charged limit 1)
  union all
  select n."user", n.charged from owners o cross join lateral (
    select d."user", d.charged from sms_dispatch d
    where d.state = 'assigned' and d.charged <> '' and d."user" > o."user"
    order by d."user", d.charged limit 1
  ) n
), stale as (
  select d.message, d."user", d.pinned, d.device, 'room' as waiting_for, now() as due,
    'Its line is given anew' as why
  from owners o join sms_dispatch d on d."user" = o."user" and d.state = 'assigned' and d.charged <> ''
    and d.charged < sms_local_day(o."user", now())
  where o.day < sms_local_day(o."user", now())
  order by d.message limit ${MAX_ROWS} for update of d skip locked
)`

/** SQL: assigned messages whose quiet hours have begun. Skips in the index from time zone to time zone. */
const IN_QUIET_HOURS = `
zones("user", zone) as (
  (select d."user", d.quiet_zone from sms_dispatch d where d.state = 'assigned' and d.quiet_zone is not null
    order by d."user", d.quiet_zone limit 1)
  union all
  select n."user", n.quiet_zone from zones z cross join lateral (
    select d."user", d.quiet_zone from sms_dispatch d
    where d.state = 'assigned' and d.quiet_zone is not null and (d."user", d.quiet_zone) > (z."user", z.zone)
    order by d."user", d.quiet_zone limit 1
  ) n
), quiet as materialized (
  select z."user", z.zone, sms_quiet_until(
    s.quiet_from, s.quiet_to, s.quiet_days, coalesce(nullif(z.zone, ''), sms_time_zone(z."user")), now()
  ) as ends
  from zones z join user_settings s on s."user" = z."user" and s.quiet_from <> ''
), stale as (
  select d.message, d."user", d.pinned, d.device, 'quiet_hours' as waiting_for, q.ends as due,
    'Quiet hours' as why
  from quiet q join sms_dispatch d on d."user" = q."user" and d.quiet_zone = q.zone and d.state = 'assigned'
  where q.ends is not null
  order by d.message limit ${MAX_ROWS} for update of d skip locked
)`

/** SQL: messages that no other step would process. `which`: a condition, then the order of an index. */
const lost = (which: string) => `
stale as (
  select d.message, d."user", d.pinned, d.device, 'room' as waiting_for, now() as due, 'It had no device' as why
  from sms_dispatch d where ${which} limit ${MAX_ROWS} for update skip locked
)`
const WITHOUT_DEVICE = lost(`d.device = '' and d.state = 'assigned' order by d.priority desc, d.position`)
const WITHOUT_TIME = lost(`d.state = 'pending' and d.due_at is null order by d.due_at`)

const RETURNS = [OF_NO_LINE, IN_QUIET_HOURS, WITHOUT_DEVICE, WITHOUT_TIME].map(returnSql)

/** Takes back unclaimed messages that may not be sent now or have no device. `releaseDue` reassigns them. */
export async function returnStale(db: Db): Promise<string[]> {
  for (const sql of RETURNS) await db.query(sql)
  return []
}

const RELEASES = [WAITING, SCHEDULED].map(releaseSql)

/** Assigns due messages to lines, first those that waited for a line. Returns the devices to wake. */
export async function releaseDue(db: Db, seconds: number, stickyDays = 0): Promise<string[]> {
  const sticky = stickySince(new Date(), stickyDays)
  const devices: string[] = []
  for (const sql of RELEASES) devices.push(...textsOf(await db.query(sql, [seconds, sticky])))
  return devices
}
