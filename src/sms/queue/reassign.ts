import type { Db } from '../../db/open.ts'
import { availableDevices } from '../devices/available.ts'
import { CHANGE_LOG_PARAMS, changeLogCtes } from '../status/change-log.ts'
import { idMayBecome } from '../status/status.ts'
import { WAKE_CHANNEL, wakePayloads } from '../wake/wake.ts'

/**
 * SQL that selects messages from sms_dispatch, and its name: a statement is planned once and not at each
 * tick.
 */
export interface MessageSource {
  readonly name: string
  readonly sql: string
}

/**
 * SQL that assigns messages anew. `source` selects them from sms_dispatch, locked, with a column `why` for
 * the event. They are dealt out evenly to the other available devices of their user, in the order of
 * acceptance; where there is none, or a message is
 * `pinned` (its send named the device), a message that was with its device goes
 * back to it and one that only waits stays as it is. From its third attempt on a message waits longer each
 * time, up to five minutes.
 * $1: deviceOnlineSeconds; $2, $3: CHANGE_LOG_PARAMS; the parameters of `source` follow. Gives the devices
 * that have them now.
 */
const assignAnew = (source: string) => `
with source as (${source}), others as (
  select s.message, array_agg(v.id order by v.id) as ids
  from (select distinct "user", device from source where not pinned) s0
  join lateral ${availableDevices('s0."user"', '$1')} v on v.id <> s0.device
  join source s on s."user" = s0."user" and s.device = s0.device and not s.pinned
  group by s.message
), turns as (
  select s.*, o.ids, row_number() over (partition by s."user", s.device order by s.position) as turn
  from source s left join others o on o.message = s.message
), target as (
  select t.message, t."user", t.attempt, t.why,
    coalesce(t.ids[1 + (t.turn - 1) % cardinality(t.ids)], t.device) as device,
    case when t.attempt > 1 then least(300, 5 * 3 ^ least(t.attempt - 2, 9)) else 0 end as pause
  from turns t where (t.ids is not null or t.state = 'sending')
    and ${idMayBecome('t.message', 'assigned')}
), moved as (
  update sms_dispatch d
  set state = 'assigned', device = t.device, lease_until = null, wakes = 1,
    due_at = now() + t.pause * interval '1 second',
    wake_at = now() + greatest(t.pause * interval '1 second', sms_wake_interval())
  from target t where d.message = t.message
), changed as (
  update sms_messages m set status = 'assigned', device = t.device, updated = pb_text(now())
  from target t where m.id = t.message returning m.id
), events as (
  insert into sms_events (id, "user", message, status, device, attempt, detail, created)
  select pb_new_id(), "user", message, 'assigned', device, attempt, why, pb_text(now()) from target returning id
), ${changeLogCtes(2)}
select distinct device from target`

/**
 * Assigns what `source` selects anew, in the transaction `db`; tells the other nodes at its commit. Answers
 * the devices that have them now, to be woken after it. See assignAnew.
 */
export async function reassign(
  db: Db,
  source: MessageSource,
  deviceOnlineSeconds: number,
  params: readonly unknown[] = [],
): Promise<string[]> {
  const values = [deviceOnlineSeconds, ...CHANGE_LOG_PARAMS, ...params]
  const { rows } = await db.query(assignAnew(source.sql), values, `sms ${source.name}`)
  return notifyNodes(db, rows)
}

/**
 * Rows whose one column is a device: at the commit of `db` the other nodes are told to wake them. Answers
 * them.
 */
export async function notifyNodes(db: Db, rows: readonly unknown[][]): Promise<string[]> {
  const devices = rows.map(([device]) => String(device))
  const payloads = wakePayloads(devices)
  if (payloads.length > 0)
    await db.query(`select pg_notify('${WAKE_CHANNEL}', payload) from unnest($1::text[]) payload`, [payloads])
  return devices
}
