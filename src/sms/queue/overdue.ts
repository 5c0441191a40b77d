import type { Db } from '../../db/open.ts'
import { textsOf } from '../../db/statement.ts'
import { availableDevices, onlineSince } from '../devices/device.ts'
import { REASONS } from '../status/status.ts'
import { failMessages } from './fail.ts'
import { isOptedOut } from './opt-out.ts'
import { reassign } from './reassign.ts'

/** SQL: devices with queued messages, by steps through the index: 0.1 ms for 200,000; `distinct` takes 25. */
export const DEVICES_IN_QUEUE = `(
  with recursive held(device) as (
    (select device from sms_dispatch where device > '' order by device limit 1)
    union all
    select (select q.device from sms_dispatch q where q.device > h.device order by q.device limit 1)
    from held h where h.device is not null
  ) select device from held where device is not null)`

/** Devices to wake after the sweep's commit. */
export type DevicesToWake = readonly string[]

/** Maximum rows of one sweep. The next sweep takes the others. */
const MAX_ROWS = 1_000
/** After this many wake-ups a working device's unclaimed messages go to another device. */
const MAX_WAKES = 3
/** SQL: a device is not working after this time without a claim; longer if limits per minute delay claims. */
const SILENCE = `case
    when v.per_minute > 0 or exists (select from lines l where l.device = v.id and l.per_minute > 0)
    then interval '90 seconds' else interval '45 seconds' end`
const UNCLAIMED = 'The device did not claim it'
/** SQL: a message has had all its wake-ups, and the time after the last one has passed. */
const IS_LATE = `(wakes > ${MAX_WAKES} or wakes = ${MAX_WAKES} and wake_at <= now())`

/** Returns a step of the sweep that fails the messages that `sql` selects. `name`: of the statement. */
const failing = (name: string, reason: string, sql: string) => async (db: Db) => {
  await failMessages(db, { name, sql }, reason)
  return []
}
/** Returns a step of the sweep that gives the messages that `sql` selects to other devices. */
const reassigning = (name: string, sql: string) => (db: Db, seconds: number) =>
  reassign(db, { name, sql }, seconds)

/** Fails messages with an expired lease that must not be sent again: their outcome is unknown. */
export const failExpiredLeases = failing(
  'silent',
  REASONS.silent,
  `select d.* from sms_dispatch d
  where d.state = 'sending' and d.lease_until <= now()
    and (not d.at_least_once or d.expires_at <= now() or ${isOptedOut('d')})
  order by d.lease_until limit ${MAX_ROWS} for update skip locked`,
)

/** Fails messages that no device claimed in time. */
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

/** Reassigns messages with an expired lease that may be sent again. They still count for their line. */
export const retryExpiredLeases = reassigning(
  'retriable',
  `select d.message, d."user", d.device, d.line, '' as charged, d.state, d.pinned, d.position, d.attempt,
    'The device went silent' as why
  from sms_dispatch d
  where d.state = 'sending' and d.lease_until <= now() and d.at_least_once
  order by d.lease_until limit ${MAX_ROWS} for update skip locked`,
)

/** SQL: messages that another device may take from `s`, a device that perhaps does not work. */
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

/** After the wake-up at the assignment: 5, 15, 45 and 120 s from it, then every 5 minutes. */
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

/** Devices to wake for unclaimed messages. Unnamed: a plan of an empty queue takes 1.3 s, not 50 ms. */
export const wakeUnclaimed = async (db: Db) => textsOf(await db.query(REWAKE))
