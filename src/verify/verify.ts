import { z } from 'zod'
import type { Store } from '../collections/catalog.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/open.ts'
import { keyedHash, seal, unseal } from '../db/secrets.ts'
import { part, run, runForRow, statement, text } from '../db/statement.ts'
import { GatewayError } from '../errors.ts'
import { formatDate } from '../fields/date.ts'
import { callingCodeOf } from '../portable/phone/e164.ts'
import { changeLogCte } from '../records/record-sql.ts'
import { beginPause, endPause, takeCodes } from '../sms/codes/counts.ts'
import { requireDestinations } from '../sms/codes/destinations.ts'
import { CODE_PRIORITY } from '../sms/codes/text-code.ts'
import { cancelMessage } from '../sms/queue/cancel.ts'
import type { AcceptConfig } from '../sms/send/accept.ts'
import { dateAt, PLAIN_OPTIONS, toOne } from '../sms/send/body.ts'
import { checkLength, checkPhones, loadTemplate, optedOut } from '../sms/send/content.ts'
import { may } from '../sms/send/judge.ts'
import { prepareOffer, sendInside } from '../sms/send/send.ts'
import { accountSender } from '../sms/send/sender.ts'
import { gatewayRefusal } from '../sms/send/shape.ts'
import { wakeDevices } from '../sms/wake.ts'
import { randomDigits, randomId } from '../tools/random.ts'
import {
  CODES,
  COLUMNS,
  findService,
  MAX_ATTEMPTS,
  type Service,
  type Start,
  VERIFICATION,
  type Verification,
  writeCode,
} from './service.ts'

export interface VerifyServices {
  readonly store: Store
  readonly config: AcceptConfig & Pick<Config, 'maxRecipients'>
}

/** Sends a code, or the pending one again. Throws 400, 403, 404, 429, and as `send`. */
export async function startVerification(
  { store, config }: VerifyServices,
  start: Start,
): Promise<Verification> {
  const { sender, to, templateId } = start
  checkPhones([to])
  const service = await findService(store, sender.user, start.service)
  await requireDestinations(store, sender.user, [to])
  const template = templateId && (await loadTemplate(store, sender.user, templateId))
  if ((await optedOut(store, sender.user, [to])).size > 0) throw gatewayRefusal('recipient_opted_out')
  const { verification, wake } = await store.db.transaction(async (db) => {
    const inside = { db, catalog: store.catalog }
    const code = await codeFor(inside, config, service, start)
    const options = { ...PLAIN_OPTIONS, priority: CODE_PRIORITY, expiresAt: code.expires_at, isBulk: true }
    const content = writeCode(service, { ...start, template }, to, code.text)
    checkLength(content.body)
    const offer = await prepareOffer(inside, config.maxRecipients, sender, toOne(to, content, options))
    const wake = await sendInside(inside, config, offer)
    return { verification: await keep(inside, service, start, code, offer.messages[0]!.id), wake }
  })
  wakeDevices(store.db, wake)
  return verification
}

interface Code {
  readonly verification: string
  readonly text: string
  readonly sends: number
  readonly expires_at: string
}

/** The pause after a first code to a number, in seconds. It doubles each time the code is sent again. */
const PAUSE_SECONDS = 30

// clock_timestamp(), because now() is the time before the transaction waited for the number's lock
const PENDING = statement('verify pending', {
  ...{ id: 'string', sends: 'number', expires_at: 'string', sealed: 'string' },
})`
select v.id, v.sends, v.expires_at, c.sealed
from verifications v join _verify_codes c on c.verification = v.id
where v.service = ${text('service')} and v."to" = ${text('to')} and v.status = 'pending'
  and v.expires_at > pb_text(clock_timestamp())
order by v.created desc limit 1 for update of v`

async function codeFor(
  store: Store,
  config: VerifyServices['config'],
  service: Service,
  start: Start,
): Promise<Code> {
  const { db } = store
  const { user } = start.sender
  await takeCodes(store, config, { user, phones: [start.to], ip: start.ip })
  const pending = await runForRow(db, PENDING, { service: service.id, to: start.to })
  await beginPause(db, user, start.to, PAUSE_SECONDS * 2 ** (pending?.sends ?? 0))
  const text = pending && (await unseal(db, CODES, pending.id, pending.sealed))
  if (pending && text) return { ...pending, verification: pending.id, text }
  const expires_at = dateAt(Date.now() + (start.ttl || service.ttl) * 1000)
  const digits = randomDigits(start.length || service.code_length)
  return { verification: randomId(), text: digits, sends: 0, expires_at }
}

const CREATE = statement('verify create', VERIFICATION)`
with written as (
  insert into verifications (id, "user", service, "to", country, channel, status, sends, expires_at, message,
    created, updated)
  values (${text('id')}, ${text('user')}, ${text('service')}, ${text('to')}, ${text('country')}, 'sms', 'pending', 1,
    ${text('expires_at')}, ${text('message')}, pb_text(clock_timestamp()), pb_text(clock_timestamp()))
  returning *
), coded as (
  insert into _verify_codes (verification, hash, sealed) values (${text('id')}, ${text('hash')}, ${text('sealed')})
), ${changeLogCte('written', 'create', 'verifications')}
select ${COLUMNS} from written v`

const AGAIN = statement('verify again', VERIFICATION)`
with written as (
  update verifications set sends = sends + 1, message = ${text('message')}, updated = pb_text(clock_timestamp())
  where id = ${text('id')} returning *
), ${changeLogCte('written', 'update', 'verifications')}
select ${COLUMNS} from written v`

async function keep({ db }: Store, service: Service, { sender, to }: Start, code: Code, message: string) {
  const { verification: id, expires_at } = code
  if (code.sends > 0) return (await run(db, AGAIN, { id, message }))[0]!
  const hash = await hashOf(db, sender.user, code.text)
  const sealed = await seal(db, CODES, id, code.text)
  const { user } = sender
  const values = { id, user, service: service.id, to, country: callingCodeOf(to), expires_at, message }
  return (await run(db, CREATE, { ...values, hash, sealed }))[0]!
}

const hashOf = (db: Store['db'], user: string, code: string) => keyedHash(db, CODES, `${user} ${code}`)

/** Names a verification by its id, or as the last one of a phone number and a service. '': not given. */
export interface Named {
  readonly id: string
  readonly to: string
  readonly service: string
}

/** SQL of a CTE: the named verification. Locks it, and so waits for concurrent changes and sees them. */
const TARGET = part`target as materialized (
  select * from (
    select v.* from verifications v where v.id = ${text('id')} and v."user" = ${text('user')} for update
  ) of_id
  union all select * from (
    select v.* from verifications v
    where ${text('id')} = '' and v."user" = ${text('user')} and v."to" = ${text('to')} and v.service = coalesce(
      nullif(${text('service')}, ''),
      (select s.id from verify_services s where s."user" = ${text('user')}
        order by s.api_key <> '', s.created, s.id limit 1))
    order by v.created desc, v._rowid desc limit 1 for update
  ) of_number
)`

/** SQL of CTEs that delete the codes of verifications that `written` ended, and log all rows of `written`. */
const AFTER = `ended as (
  delete from _verify_codes c using written w where c.verification = w.id and w.status <> 'pending'
), ${changeLogCte('written', 'update', 'verifications')}`

// One UPDATE counts the try and judges the code: tries are exact on any number of nodes. For an unknown
// verification, a message to the write-ahead log makes the commit take as long: the time reveals nothing.
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

/** Checks a code, which works only once. The fifth wrong code ends the verification. */
export async function checkVerification(
  { db }: Store,
  user: string,
  { code, ...named }: Named & { readonly code: string },
): Promise<Verification> {
  const checked = (await runForRow(db, CHECK, { ...named, user, hash: await hashOf(db, user, code) }))!
  if (checked.status === 'approved') await endPause(db, user, checked.to)
  return checked
}

const END = statement('verify end', VERIFICATION.extend({ message: z.string() }))`
with ${TARGET}, written as (
  update verifications v set updated = pb_text(now()), status = ${text('status')},
    attempts = case ${text('status')} when 'approved' then 0 else v.attempts end
  from target t where v.id = t.id and v.status = 'pending' and v.expires_at > pb_text(now())
  returning v.*
), ${AFTER}
select ${COLUMNS}, v.message from written v
union all select ${COLUMNS}, '' from target v where not exists (select from written)`

/**
 * Ends a verification; cancels its text if no device has it. Leaves an ended one as it is. An approved one
 * gets 0 attempts, because nobody entered its code: see sms/codes/destinations. Throws 404.
 */
export async function endVerification(
  store: Store,
  user: string,
  named: Named,
  status: 'canceled' | 'approved',
): Promise<Verification> {
  const found = await runForRow(store.db, END, { ...named, user, status })
  if (!found) throw gatewayRefusal('verification_not_found')
  const { message, ...verification } = found
  if (verification.status === 'approved') await endPause(store.db, user, verification.to)
  if (message !== '')
    await cancelMessage(store, may(accountSender(user, user), 'cancel'), message).catch(ignoreSent)
  return verification
}

function ignoreSent(error: unknown) {
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

/** Ends verifications that have expired, and deletes their codes. Call it regularly, on any node. */
export async function expireVerifications(db: Db): Promise<void> {
  while (Number((await db.query(EXPIRE)).rows[0]![0]) > 0);
}

/** Deletes ended verifications that were created more than `days` days ago. */
export async function deleteOldVerifications(db: Db, days: number): Promise<void> {
  const before = formatDate(new Date(Date.now() - days * 86_400_000))
  await db.query(`delete from verifications where created < $1 and status <> 'pending'`, [before])
}
