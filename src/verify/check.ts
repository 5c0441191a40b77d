import { z } from 'zod'
import type { Store } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import { part, runForRow, statement, text } from '../db/statement.ts'
import { GatewayError } from '../errors.ts'
import { formatDate } from '../fields/date.ts'
import { changeLogCte } from '../records/record-sql.ts'
import { cancelMessage } from '../sms/queue/cancel.ts'
import { gatewayRefusal } from '../sms/send/shape.ts'
import { hashOf } from './start.ts'
import { COLUMNS, MAX_ATTEMPTS, VERIFICATION, type Verification } from './verification.ts'

/** Names a verification: by its id, or the last one of a number and a service; '' where not named. */
export interface Named {
  readonly id: string
  readonly to: string
  readonly service: string
}

/** SQL of a CTE: the verification that is named, locked, so that it is as the last change left it. */
const TARGET = part`target as materialized (
  select * from (
    select v.* from verifications v where v.id = ${text('id')} and v."user" = ${text('user')} for update
  ) of_id
  union all select * from (
    select v.* from verifications v
    where ${text('id')} = '' and v."user" = ${text('user')} and v."to" = ${text('to')} and v.service = coalesce(
      nullif(${text('service')}, ''),
      (select s.id from verify_services s where s."user" = ${text('user')} order by s.created, s.id limit 1))
    order by v.created desc, v._rowid desc limit 1 for update
  ) of_number
)`

/** SQL of CTEs that delete the codes of verifications that `written` ended, and log its changes. */
const AFTER = `ended as (
  delete from _verify_codes c using written w where c.verification = w.id and w.status <> 'pending'
), ${changeLogCte('written', 'update', 'verifications')}`

// One UPDATE counts and decides, so that tries are exact on any number of nodes. If nothing is written, a
// message to the write-ahead log makes the commit take as long, so that time shows no unknown number.
const CHECK = statement('verify check', VERIFICATION)`
with ${TARGET}, written as (
  update verifications v set updated = pb_text(now()),
    attempts = v.attempts + (v.expires_at > pb_text(now()))::int,
    status = case when v.expires_at <= pb_text(now()) then 'expired' when c.hash = ${text('hash')} then 'approved'
      when v.attempts + 1 >= ${MAX_ATTEMPTS} then 'max_attempts_reached' else 'pending' end
  from target t join _verify_codes c on c.verification = t.id
  where v.id = t.id and v.status = 'pending'
  returning v.*
), ${AFTER}
select ${COLUMNS} from written v
union all
select coalesce(v.id, ''), coalesce(v."to", ${text('to')}), coalesce(v.service, ${text('service')}), 'sms',
  case when v.status in ('canceled', 'max_attempts_reached') then v.status else 'expired' end,
  coalesce(v.attempts, 0), coalesce(v.expires_at, ''), coalesce(v.created, ''), coalesce(v.updated, '')
from (
  select case when not exists (select from target) then pg_logical_emit_message(true, 'verify', '') end
) noted left join target v on true
where not exists (select from written)`

/** Checks a code, which works once. The fifth wrong code ends the verification. */
export async function checkVerification(
  { db }: Store,
  user: string,
  { code, ...named }: Named & { readonly code: string },
): Promise<Verification> {
  return (await runForRow(db, CHECK, { ...named, user, hash: await hashOf(db, user, code) }))!
}

const END = statement('verify end', VERIFICATION.extend({ message: z.string() }))`
with ${TARGET}, written as (
  update verifications v set updated = pb_text(now()), status = ${text('status')}
  from target t where v.id = t.id and v.status = 'pending' and v.expires_at > pb_text(now())
  returning v.*
), ${AFTER}
select ${COLUMNS}, v.message from written v
union all select ${COLUMNS}, '' from target v where not exists (select from written)`

/** Ends a pending verification, and its text if no device has it yet. Others stay. Throws 404. */
export async function endVerification(
  store: Store,
  user: string,
  named: Named,
  status: 'canceled' | 'approved',
): Promise<Verification> {
  const found = await runForRow(store.db, END, { ...named, user, status })
  if (!found) throw gatewayRefusal('verification_not_found')
  const { message, ...verification } = found
  if (message !== '') await cancelMessage(store, user, message).catch(ignoreSent)
  return verification
}

function ignoreSent(error: unknown): void {
  if (!(error instanceof GatewayError)) throw error
}

const FIND = statement('verify find', VERIFICATION)`
with ${TARGET} select ${COLUMNS} from target v`

/** A verification of a user. Throws 404. */
export async function findVerification({ db }: Store, user: string, named: Named): Promise<Verification> {
  const found = await runForRow(db, FIND, { ...named, user })
  if (!found) throw gatewayRefusal('verification_not_found')
  return found
}

const EXPIRE = `
with written as (
  update verifications v set status = 'expired', updated = pb_text(now())
  where v.id = any(array(
    select id from verifications where status = 'pending' and expires_at <= pb_text(now())
    order by expires_at limit 1000 for update skip locked
  )) returning v.*
), ${AFTER}
select count(*) from written`

/** Ends what has expired, and deletes its codes. To be called now and then, on any node. */
export async function expireVerifications(db: Db): Promise<void> {
  while (Number((await db.query(EXPIRE)).rows[0]![0]) > 0);
}

/** Deletes verifications after `days`. */
export async function deleteOldVerifications(db: Db, days: number): Promise<void> {
  const before = formatDate(new Date(Date.now() - days * 86_400_000))
  await db.query(`delete from verifications where created < $1 and status <> 'pending'`, [before])
}
