import type { Db } from '../../db/open.ts'
import { isAmong } from '../../db/statement.ts'
import { mayBecome } from '../status/status.ts'
import { refundQuota } from '../usage/quota.ts'
import type { MessageSource } from './reassign.ts'

/** SQL that fails the messages that `source` selects and locks in sms_dispatch. $1: reason. */
const failSql = (source: string) => `
with source as (${source}), freed as (
  delete from sms_dispatch d using source s where d.message = s.message
), changed as (
  update sms_messages m set status = 'failed', error_message = $1, updated = pb_text(now())
  from source s where m.id = s.message and ${isAmong('m.id', 'source')} and ${mayBecome('m', 'failed')} returning m.id
), events as (
  insert into sms_events (id, "user", message, status, device, attempt, detail, created)
  select pb_new_id(), s."user", s.message, 'failed', s.device, s.attempt, $1, pb_text(now())
  from source s join changed c on c.id = s.message
)
select s."user", s.period, count(*) from source s join changed c on c.id = s.message group by 1, 2 order by 1, 2`

/** Fails messages of `source` (parameters from $2). Returns how many, by user and month of the quota. */
export async function failMessages(db: Db, source: MessageSource, reason: string, params: unknown[] = []) {
  const { rows } = await db.query(failSql(source.sql), [reason, ...params], `sms ${source.name}`)
  return rows as [user: string, period: string, messages: number][]
}

/** Fails unsent messages of `source` and refunds their quota. Returns how many there were. */
export async function failUnsent(db: Db, source: MessageSource, reason: string, params: unknown[] = []) {
  const paid = await failMessages(db, source, reason, params)
  for (const [user, period, messages] of paid) await refundQuota({ db }, user, period, Number(messages))
  return paid.reduce((sum, [, , messages]) => sum + Number(messages), 0)
}
