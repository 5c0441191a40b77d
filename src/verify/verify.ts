import { z } from 'zod'
import type { Store } from '../collections/catalog.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/open.ts'
import { keyedHash, seal, unseal } from '../db/secrets.ts'
import { part, run, runForRow, statement, text } from '../db/statement.ts'
import { GatewayError } from '../errors.ts'
import { formatDate } from '../fields/date.ts'
import { callingCodeOf } from '../portable/phone.ts'
import { changeLogCte } from '../records/record-sql.ts'
import { cancelMessage } from '../sms/queue/cancel.ts'
import type { AcceptConfig } from '../sms/send/accept.ts'
import { dateAt, PLAIN_OPTIONS, toOne } from '../sms/send/body.ts'
import { checkLength, checkPhones, loadTemplate, optedOut } from '../sms/send/content.ts'
import { CODE_PRIORITY, prepareOffer, sendInside } from '../sms/send/send.ts'
import { gatewayRefusal } from '../sms/send/shape.ts'
import { wakeDevices } from '../sms/wake.ts'
import { randomDigits, randomId } from '../tools/random.ts'
import {
  CODES,
  COLUMNS,
  findService,
  MAX_ATTEMPTS,
  requireAllowed,
  requireNumberAllowed,
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
  await requireDestination(store, sender.user, service, to)
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

// clock_timestamp(), because now() is the time before the transaction waited for the number's lock
const PENDING = statement('verify pending', {
  ...{ id: 'string', sends: 'number', age: 'number', expires_at: 'string', sealed: 'string' },
})`
select v.id, v.sends, v.expires_at, c.sealed, coalesce((
    select extract(epoch from clock_timestamp() - m.created::timestamptz) from sms_messages m where m.id = v.message
  ), 86400)::float8 as age
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
  await requireNumberAllowed(db, service, start.to)
  const pending = await runForRow(db, PENDING, { service: service.id, to: start.to })
  await requireAllowed(store, config, start, service, pending)
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

/** Destinations if no line of the user has a number: all but satellites and networks without a country. */
const WITHOUT_LINES = '-870,-878,-881,-882,-883,-888,-979,-7840,-7940'

const BOUNDS = statement('verify bounds', { isAllowed: 'boolean', numbers: 'string[]' })`
select sms_is_destination(${text('destinations')}, ${text('to')}) as "isAllowed",
  array(select l.number from lines l where l."user" = ${text('user')} and l.number like '+%') as numbers`

/** Throws 403 for a number that a service may not send codes to. */
async function requireDestination(store: Store, user: string, service: Service, to: string) {
  const country = callingCodeOf(to)
  const destinations = service.destinations || WITHOUT_LINES
  const { isAllowed, numbers } = (await runForRow(store.db, BOUNDS, { destinations, to, user }))!
  const isHome = numbers.some((number) => callingCodeOf(number) === country)
  const goesHome = service.destinations === '' && numbers.length > 0
  if (goesHome ? !isHome : !isAllowed) throw gatewayRefusal('destination_not_allowed')
  const isStopped = service.stopped.split(',').includes(country)
  if (isStopped || (await stopsNow(store, service, country))) throw gatewayRefusal('destination_stopped')
}

/** The share of approved codes is computed from this many codes, the last ones of the past day. */
const JUDGED = 20

// Stops codes to a country if too few of the last ones were approved. A pending code counts as not approved
// after 3 minutes. When a user changes the service, the count starts again. Concurrent requests queue one
// mail only, which alarms/alarms.ts sends.
const STOP = statement('verify stop', { id: 'string' })`
with last as (
  select v.status from verify_services s join verifications v on v.service = s.id
  where s.id = ${text('service')} and v.country = ${text('country')} and v.status <> 'canceled'
    and v.created > greatest(pb_text(now() - interval '1 day'), s.updated)
    and (v.status <> 'pending' or v.created < pb_text(now() - interval '3 minutes'))
  order by v.created desc limit ${JUDGED}
), judged as (
  select count(*) as finished, count(*) filter (where status = 'approved') as approved from last
), low as materialized (
  select s.id, ${text('country')} = any (string_to_array(s.stopped, ',')) as was_stopped from verify_services s, judged j
  where s.id = ${text('service')} and j.finished >= ${JUDGED} and j.approved * 100 < s.approval_floor * j.finished
  for update of s
), written as (
  update verify_services s set stopped = concat_ws(',', nullif(s.stopped, ''), ${text('country')})
  from low where s.id = low.id and not low.was_stopped returning s.*
), mailed as (
  insert into _jobs (kind, holder, key, payload)
  select 'alarm_mail', w."user", gen_random_uuid(), json_build_array(json_build_object(
    'name', w.name, 'stoppedCountry', ${text('country')}, 'waiting', 0)) from written w
), ${changeLogCte('written', 'update', 'verify_services')}
select id from low`

/** Stops codes to a country if too few were approved, and queues a mail. True if they are stopped. */
const stopsNow = async ({ db }: Store, service: Service, country: string): Promise<boolean> =>
  service.approval_floor > 0 && (await run(db, STOP, { service: service.id, country })).length > 0

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
      (select s.id from verify_services s where s."user" = ${text('user')} order by s.created, s.id limit 1))
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

/** Ends a verification; cancels its text if no device has it. Leaves an ended one as it is. Throws 404. */
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
