import { z } from 'zod'
import { admission } from '../../admission/admission.ts'
import { type Store, userHolder } from '../../collections/catalog.ts'
import { LOCKS } from '../../db/advisory-locks.ts'
import { groupsOf } from '../../db/groups.ts'
import type { Db } from '../../db/open.ts'
import { isAmong, isHeldByDevice, unindexed } from '../../db/statement.ts'
import { INSTANT, INSTANT_OR_EMPTY } from '../../fields/instant.ts'
import { counts } from '../../metrics/counts.ts'
import { isDisabledSql } from '../../records/record-sql.ts'
import { allowance, type Device } from '../devices/device.ts'
import { gatewayRefusal } from '../send/refusals.ts'
import { openText } from '../send/sealed-text.ts'
import { eventsCte, idMayBecome } from '../status.ts'

export type ClaimedMessage = Readonly<z.output<typeof CLAIMED_MESSAGE>>
export const CLAIMED_MESSAGE = z
  .object({
    id: z.string(),
    attempt: z.int().min(1).describe('Send it with every report on this message.'),
    to: z.string(),
    body: z.string(),
    sim: z.int().describe('Slot of the SIM to send with, that of its line; 0: any.'),
    priority: z.int(),
    expires_at: INSTANT_OR_EMPTY.describe('Do not send after it. Empty: never.'),
    lease_until: INSTANT.describe(
      'The end of the lease: send and report before it. Then the device counts as silent about this message.',
    ),
  })
  .meta({ id: 'ClaimedMessage' })

/** SQL: the line (SIM) `l` belongs to the device and has a limit per minute. */
const isPaced = (device: string) => `l.device = ${device} and l.per_minute > 0`

/** SQL: message `d` is within its line's limit per minute. `g.lines`: JSON, how many each line allows. */
const PACED_DUE = `d.message in (
    select q.message from (
      select p.message, p.line, row_number() over (partition by p.line order by p.priority desc, p.position) as n
      from sms_dispatch p where p.device = g.device and p."user" = g."user" and p.state = 'assigned'
        and (p.due_at is null or p.due_at <= now()) and (p.expires_at is null or p.expires_at > now())
    ) q where q.n <= coalesce((g.lines ->> q.line)::float8, 'infinity')
  )`

/**
 * Claims messages for devices. Returns first those claimed before whose lease still runs (the answer may have
 * been lost), then new ones by priority and age. `room`: how many new ones the device may get, null for any.
 * If `room` and `lines` are null but a line has a limit per minute, adds no new ones, only a row without id.
 */
const CLAIM = `
with given as (
  select * from json_to_recordset($1)
    g(number int, device text, "user" text, "limit" int, room bigint, lines json, seconds float8)
), held as (
  select g.number, h.* from given g cross join lateral (
    select message, attempt, lease_until, priority, position, sealed from sms_dispatch d
    where d.device = g.device and d."user" = g."user" and d.state = 'sending' and d.lease_until > now()
    order by priority desc, position limit g."limit"
  ) h
), due as (
  select g.number, g.seconds, h.message from given g cross join lateral (
    select d.message from sms_dispatch d
    where d.device = g.device and d."user" = g."user" and d.state = 'assigned'
      and (d.due_at is null or d.due_at <= now()) and (d.expires_at is null or d.expires_at > now())
      and (d.charged = '' or d.charged >= (select sms_local_day(g."user", now())))
      and (d.quiet_zone is null or d.quiet_zone <> all ((select sms_quiet_zones(g."user"))::text[]))
      and d.line <> all (array(select l.id from lines l where l.device = g.device and not (l.enabled and l.present)))
      and ${idMayBecome('d.message', 'sending')}
      and case when g.lines is null then not exists (select from lines l where ${isPaced('g.device')}) else ${PACED_DUE} end
      and exists (select from devices v where v.id = g.device and v."user" = g."user" and v.enabled
        and (g.room is not null or v.per_minute <= 0 and v.daily_limit <= 0))
      and not ${isDisabledSql('g."user"')}
    order by d.priority desc, d.position
    limit greatest(0, least(g."limit" - (select count(*) from held o where o.number = g.number), g.room))
    for update of d skip locked
  ) h
), taken as (
  update sms_dispatch d
  set state = 'sending', attempt = d.attempt + 1, lease_until = now() + due.seconds * interval '1 second', wake_at = null
  from due where d.message = due.message and ${isAmong('d.message', 'due')}
  returning due.number, d.message, d.attempt, d.lease_until, d.priority, d.position, d.sealed, d.device, d."user", d.line
), changed as (
  update sms_messages m set status = 'sending', updated = pb_text(now())
  from taken where m.id = taken.message and ${isAmong('m.id', 'taken')} returning m.id
), ${eventsCte(`"user", message, 'sending', device, attempt, ''`, 'taken where message in (select id from changed)')}, counted as (
  insert into device_handouts (device, line, at, messages)
  select t.device, t.line, now(), count(*) from taken t group by t.device, t.line
)
select c.number, m.id, c.attempt, m."to", m.body, coalesce(nullif((select l.slot from lines l where l.id = m.line), 0), m.sim), m.priority, m.expires_at, pb_text(c.lease_until),
  c.is_new, c.priority, c.position, c.sealed
from (
  select *, false as is_new from held
  union all select number, message, attempt, lease_until, priority, position, sealed, true from taken
) c
join sms_messages m on m.id = c.message and ${isAmong('m.id', '(select message from held union all select message from taken) h')}
  and (not c.is_new or m.id in (select id from changed))
union all
select g.number, null, 0, '', '', 0, 0, '', '', true, 0, 0, null from given g
where g.room is null and exists (select from lines l where ${isPaced('g.device')})
order by 1, 10, 11 desc, 12`

const ALLOWANCE = `select ${allowance('d')}, (
  select json_object_agg(l.id, greatest(0, l.per_minute - (
    select coalesce(sum(h.messages), 0) from device_handouts h
    where h.device = $1 and h.line = l.id and h.at > now() - interval '1 minute'
  ))) from lines l where ${isPaced('$1')}
) from devices d where d.id = $1 and d."user" = $2`

/** Gives a device up to `limit` messages to send. Concurrent claims share a query. Throws 403 if disabled. */
export async function claimMessages({ db }: Store, device: Device, limit: number, leaseSeconds: number) {
  if (!device.enabled) throw gatewayRefusal('device_disabled')
  if (!device.isLimited) {
    const ask = { device, limit, room: null, leaseSeconds }
    const found = db.inTransaction ? (await claimTogether(db, [ask]))[0]! : await claiming(db).add(ask)
    if (!found.isPaced) return found.messages
  }
  // admit few claims of limited devices: each keeps a connection while it waits for the device's other claims
  return admission.claimsAndReads.run(userHolder(device.user), () =>
    claimLimited(db, device, limit, leaseSeconds),
  )
}

function claimLimited(db: Db, device: Device, limit: number, leaseSeconds: number) {
  return db.transaction(async (tx) => {
    const { left, lines } = await whatLimitsLeave(tx, device)
    const room = lines === null ? left : (left ?? limit)
    return (await claimTogether(tx, [{ device, limit, room, leaseSeconds, lines }]))[0]!.messages
  })
}

/** A device's claim. `room`: how many messages its limits allow; `lines`: JSON, how many each line allows. */
interface Ask {
  readonly device: Device
  readonly limit: number
  readonly room: number | null
  readonly leaseSeconds: number
  readonly lines?: string | null
}

const claiming = groupsOf<Ask, Claimed>((db) => ({
  keyOf: ({ device }) => device.id,
  async store(asks) {
    const largest = new Map(asks.toSorted((a, b) => a.limit - b.limit).map((ask) => [ask.device.id, ask]))
    const found = await claimTogether(db, [...largest.values()])
    const ofDevice = new Map([...largest.keys()].map((device, i) => [device, found[i]!]))
    return asks.map(({ device, limit }) => {
      const { messages, isPaced } = ofDevice.get(device.id)!
      return { messages: messages.slice(0, limit), isPaced }
    })
  },
}))

/** Up to `limit` messages that a device has claimed and whose leases still run. */
export const leasedMessages = async ({ db }: Store, device: Device, limit: number) =>
  (await claimTogether(db, [{ device, limit, room: 0, leaseSeconds: 0 }]))[0]!.messages

/** `isPaced`: nothing new was claimed, because a line has a limit per minute that was not looked up yet. */
interface Claimed {
  readonly messages: ClaimedMessage[]
  readonly isPaced: boolean
}

async function claimTogether(db: Db, asks: readonly Ask[]): Promise<Claimed[]> {
  const given = asks.map(({ device, limit, room, leaseSeconds: seconds, lines = null }, number) => ({
    ...{ number, device: device.id, user: device.user, limit, room, seconds },
    lines: lines && JSON.parse(lines),
  }))
  const { rows } = await db.query(CLAIM, [JSON.stringify(given)], 'sms claim')
  const found = asks.map(() => ({ messages: [] as ClaimedMessage[], isPaced: false }))
  for (const [number, ...row] of rows) {
    const claimed = found[Number(number)]!
    if (row[0] === null) claimed.isPaced = true
    else claimed.messages.push(...(await toMessage(db, asks[Number(number)]!.device.user, row)))
  }
  counts.claims.asked += asks.length
  counts.claims.messages += found.reduce((sum, { messages }) => sum + messages.length, 0)
  return found
}

/**
 * Reads how many messages a device's limits allow, and how many each of its lines allows (JSON, by line id).
 * The device's other claims wait until the transaction ends.
 */
async function whatLimitsLeave(db: Db, device: Device) {
  await db.query('select pg_advisory_xact_lock($1, hashtext($2))', [LOCKS.claim, device.id])
  const { rows } = await db.query(ALLOWANCE, [device.id, device.user])
  if (!rows[0]) return { left: 0, lines: null }
  const [left, lines] = rows[0] as [number | null, string | null]
  return { left: left === null ? null : Number(left), lines }
}

/** A claimed message with its decrypted text. [] if decryption fails: the message's lease then runs out. */
async function toMessage(db: Db, user: string, row: readonly unknown[]): Promise<ClaimedMessage[]> {
  const [id, attempt, to, shown, sim, priority, expires_at, lease_until] = row
  const sealed = row.at(-1) as string | null
  const body = sealed === null ? shown : await openText(db, user, sealed)
  if (body === undefined) return []
  return [{ id, attempt, to, body, sim, priority, expires_at, lease_until } as ClaimedMessage]
}

/** An attempt to send a message. Each claim of the message is a new attempt. */
export interface Attempt {
  readonly id: string
  readonly attempt: number
}

const RENEW = `
with held as (
  select d.message from sms_dispatch d
  join json_to_recordset($1) g(id text, attempt int) on g.id = d.message and g.attempt = d.attempt
  where ${isHeldByDevice('d', '$2', '$3')} and ${unindexed('d.state')} = 'sending'
  order by d.message for update of d
)
update sms_dispatch d set lease_until = greatest(d.lease_until, now() + $4::float8 * interval '1 second')
from held h where d.message = h.message`

/** Extends the leases of messages that a device is still sending. Ignores earlier attempts. */
export async function renewLeases(
  store: Store,
  device: Device,
  attempts: readonly Attempt[],
  leaseSeconds: number,
): Promise<void> {
  if (attempts.length === 0) return
  await store.db.query(RENEW, [JSON.stringify(attempts), device.id, device.user, leaseSeconds], 'sms renew')
}

const SPARE = `
update sms_dispatch set lease_until = now() + $1::float8 * interval '1 second'
where message = any(array(
  select message from sms_dispatch where state = 'sending' and lease_until < now() + $1::float8 * interval '1 second'
  order by message for update skip locked
))`

/** Extends all leases after an outage of this server, so that devices can report, and records the outage. */
export async function extendAllLeases(db: Db, seconds: number): Promise<void> {
  await db.query(SPARE, [seconds])
  await recordOutage(db)
}

/** Records that an outage of this server ends now: src/alarms then ignores devices' silence before it. */
export async function recordOutage(db: Db): Promise<void> {
  await db.query(
    `insert into device_watch default values
     on conflict (is_only) do update set reachable_since = now(), looked_at = now()`,
  )
}
