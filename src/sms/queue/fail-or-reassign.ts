import type { Db } from '../../db/open.ts'
import { isAmong, textsOf } from '../../db/statement.ts'
import { onlineSince } from '../devices/device.ts'
import { eventsCte, mayBecome } from '../status.ts'
import { refundQuota } from '../usage.ts'

/** SQL that fails messages. `source` selects and locks their rows of sms_dispatch. $1: reason; `by`: who. */
const failSql = (source: string, by: string) => `
with source as (${source}), freed as (
  delete from sms_dispatch d using source s where d.message = s.message
), changed as (
  update sms_messages m set status = 'failed', error_message = $1, updated = pb_text(now())
  from source s where m.id = s.message and ${isAmong('m.id', 'source')} and ${mayBecome('m', 'failed')} returning m.id
), ${eventsCte(`s."user", s.message, 'failed', s.device, s.attempt, $1`, 'source s join changed c on c.id = s.message', by)}
select s."user", s.period, count(*) from source s join changed c on c.id = s.message group by 1, 2 order by 1, 2`

/**
 * Fails the messages of `source`, where `params` begin with $2. Returns counts by user and quota month. `by`:
 * who ends them, as in `eventsCte`.
 */
export async function failMessages(
  db: Db,
  source: MessageSource,
  reason: string,
  params: readonly unknown[] = [],
  by = '',
) {
  const values = [reason, ...params, by]
  const { rows } = await db.query(failSql(source.sql, `$${values.length}`), values, `sms ${source.name}`)
  return rows as [user: string, period: string, messages: number][]
}

/** Fails the messages of `source` and refunds their quota: all must be unsent. Returns how many. */
export async function failUnsent(
  db: Db,
  source: MessageSource,
  reason: string,
  params: readonly unknown[] = [],
  by = '',
) {
  const paid = await failMessages(db, source, reason, params, by)
  for (const [user, period, messages] of paid) await refundQuota({ db }, user, period, Number(messages))
  return paid.reduce((sum, [, , messages]) => sum + Number(messages), 0)
}

/** SQL that selects rows of sms_dispatch. `name`: part of the prepared statement's name. */
export interface MessageSource {
  readonly name: string
  readonly sql: string
}

/**
 * SQL that reassigns messages. `source` selects and locks them; its column `why` is for the event. Each gets
 * a line of another device. If there is none, a message that was being sent keeps its line. Attempts from the
 * third on wait 5 s to 5 min. $1: deviceOnlineSeconds, then the parameters of `source`. Returns the devices.
 */
const assignAnew = (source: string) => `
with source as (${source}), numbered as (
  select s.*, m."to", m.sim, q.lines as key_lines, row_number() over (partition by s."user" order by s.position) as n
  from source s join sms_messages m on m.id = s.message join sms_dispatch q on q.message = s.message
  where ${isAmong('m.id', 'source')} and ${mayBecome('m', 'assigned')}
), texts as (
  select "user", json_agg(json_build_object('n', n, 'to', "to", 'sim', sim, 'avoid', device,
    'was_line', line, 'was_day', charged, 'lines', key_lines) order by n) as texts
  from numbered where not pinned group by "user" order by "user"
), given as materialized (
  select t."user", a.* from texts t
  cross join lateral sms_assign(t."user", ${onlineSince('$1')}, now(), '', false, t.texts) a
), target as (
  select s.message, s."user", s.attempt, s.why, coalesce(g.device, s.device) as device,
    coalesce(g.line, s.line) as line, g.number,
    case when g.line is null then s.charged else g.charged end as charged,
    case when s.attempt > 1 then least(300, 5 * 3 ^ least(s.attempt - 2, 9)) else 0 end as pause
  from numbered s left join given g on g."user" = s."user" and g.n = s.n and not s.pinned
  where g.line is not null or s.state = 'sending'
), moved as (
  update sms_dispatch d
  set state = 'assigned', device = t.device, line = t.line, charged = t.charged, lease_until = null, wakes = 1,
    due_at = now() + t.pause * interval '1 second',
    wake_at = now() + greatest(t.pause * interval '1 second', sms_wake_interval())
  from target t where d.message = t.message and ${isAmong('d.message', 'target')}
), changed as (
  update sms_messages m set status = 'assigned', device = t.device, line = t.line,
    "from" = coalesce(t.number, m."from"), updated = pb_text(now())
  from target t where m.id = t.message and ${isAmong('m.id', 'target')} returning m.id
), ${eventsCte(`"user", message, 'assigned', device, attempt, why`, 'target')}
select distinct device from target`

/** Reassigns messages that `source` selects. Returns the devices to wake after the commit. */
export async function reassign(
  db: Db,
  source: MessageSource,
  deviceOnlineSeconds: number,
  params: readonly unknown[] = [],
): Promise<readonly string[]> {
  const values = [deviceOnlineSeconds, ...params]
  return textsOf(await db.query(assignAnew(source.sql), values, `sms ${source.name}`))
}
