import { z } from 'zod'
import { admission } from '../../admission/admission.ts'
import type { Store } from '../../collections/catalog.ts'
import { userHolder } from '../../collections/collection.ts'
import { LOCKS } from '../../db/advisory-locks.ts'
import { isAmong } from '../../db/by-id.ts'
import type { Db } from '../../db/open.ts'
import { INSTANT, INSTANT_OR_EMPTY } from '../../fields/values/instant.ts'
import { counts } from '../../metrics/counts.ts'
import { isDisabledSql } from '../../records/auth/disabled.ts'
import { Lru } from '../../tools/lru.ts'
import { allowance, type Device } from '../devices/device.ts'
import { gatewayRefusal } from '../send/refusal.ts'
import { idMayBecome } from '../status/status.ts'

export type ClaimedMessage = Readonly<z.output<typeof CLAIMED_MESSAGE>>
export const CLAIMED_MESSAGE = z
  .object({
    id: z.string(),
    attempt: z.int().min(1).meta({ description: 'Goes back with every report on this message.' }),
    to: z.string(),
    body: z.string(),
    sim: z.int().meta({ description: 'Slot of the SIM to send with, that of its line; 0: any.' }),
    priority: z.int(),
    expires_at: INSTANT_OR_EMPTY.meta({ description: 'Do not send after it. Empty: never.' }),
    lease_until: INSTANT.meta({
      description: 'Until when to send and report. What was not reported by then counts as silent.',
    }),
  })
  .meta({ id: 'ClaimedMessage' })

const DEVICES_REMEMBERED = 1_000

/** SQL: a line (`l`) of the device has a limit of its own for each minute. */
const IS_PACED = 'l.device = $1 and l.per_minute > 0'

/** SQL: the message is within its line's limit per minute. $6: JSON of messages left per line. */
const PACED_DUE = `d.message in (
    select q.message from (
      select p.message, p.line, row_number() over (partition by p.line order by p.priority desc, p.position) as n
      from sms_dispatch p where p.device = $1 and p."user" = $2 and p.state = 'assigned'
        and (p.due_at is null or p.due_at <= now()) and (p.expires_at is null or p.expires_at > now())
    ) q where q.n <= coalesce(($6::json ->> q.line)::float8, 'infinity')
  )`

/**
 * Claims messages for a device: first those under its live lease with the same attempt (the answer may have
 * been lost), then assigned ones by priority and age. If a line has a limit per minute that the statement
 * does not know, it returns a row without id and nothing new. $4: what limits leave, null for none.
 */
const claimSql = (isPaced: boolean) => `
with held as (
  select message, attempt, lease_until, priority, position from sms_dispatch
  where device = $1 and "user" = $2 and state = 'sending' and lease_until > now()
  order by priority desc, position limit $3
), due as (
  select d.message from sms_dispatch d
  where d.device = $1 and d."user" = $2 and d.state = 'assigned'
    and (d.due_at is null or d.due_at <= now()) and (d.expires_at is null or d.expires_at > now())
    and (d.charged = '' or d.charged >= (select sms_local_day($2, now())))
    and (d.quiet_zone is null or d.quiet_zone <> all ((select sms_quiet_zones($2))::text[]))
    and d.line <> all (array(select l.id from lines l where l.device = $1 and not (l.enabled and l.present)))
    and ${idMayBecome('d.message', 'sending')}
    and ${isPaced ? PACED_DUE : `not exists (select from lines l where ${IS_PACED})`}
    and exists (select from devices v where v.id = $1 and v."user" = $2 and v.enabled
      and ($4::bigint is not null or v.per_minute <= 0 and v.daily_limit <= 0))
    and not ${isDisabledSql('$2')}
  order by d.priority desc, d.position
  limit greatest(0, least($3 - (select count(*) from held), $4::bigint))
  for update of d skip locked
), taken as (
  update sms_dispatch d
  set state = 'sending', attempt = d.attempt + 1, lease_until = now() + $5::float8 * interval '1 second', wake_at = null
  where ${isAmong('d.message', 'due')}
  returning d.message, d.attempt, d.lease_until, d.priority, d.position, d.line
), changed as (
  update sms_messages m set status = 'sending', updated = pb_text(now())
  from taken where m.id = taken.message returning m.id
), events as (
  insert into sms_events (id, "user", message, status, device, attempt, created)
  select pb_new_id(), $2, message, 'sending', $1, attempt, pb_text(now()) from taken
  where message in (select id from changed)
), counted as (
  insert into device_handouts (device, line, at, messages)
  select $1, t.line, now(), count(*) from taken t group by t.line
)
select m.id, c.attempt, m."to", m.body, coalesce(nullif((select l.slot from lines l where l.id = m.line), 0), m.sim), m.priority, m.expires_at, pb_text(c.lease_until),
  c.is_new, c.priority, c.position
from (
  select *, false as is_new from held
  union all select message, attempt, lease_until, priority, position, true from taken
) c
join sms_messages m on m.id = c.message and ${isAmong('m.id', '(select message from held union all select message from taken) h')}
  and (not c.is_new or m.id in (select id from changed))
${isPaced ? '' : `union all select null, 0, '', '', 0, 0, '', '', true, 0, 0 where $4 is null and exists (select from lines l where ${IS_PACED})`}
order by 9, 10 desc, 11`
const [CLAIM, CLAIM_PACED] = [claimSql(false), claimSql(true)]

const ALLOWANCE = `select ${allowance('d')}, (
  select json_object_agg(l.id, greatest(0, l.per_minute - (
    select coalesce(sum(h.messages), 0) from device_handouts h
    where h.device = $1 and h.line = l.id and h.at > now() - interval '1 minute'
  ))) from lines l where ${IS_PACED}
) from devices d where d.id = $1 and d."user" = $2`

/** Counts claims; and by device the number of the last claim that found nothing. */
let clock = 0
const lastEmpty = new Lru<string, number>(DEVICES_REMEMBERED)

/**
 * Claims up to `limit` messages; [] if none is due. Waiting claims of a device share the result of a later
 * empty one, so that a thousand do not keep the database busy. Throws 403 for a disabled device.
 */
export async function claimMessages({ db }: Store, device: Device, limit: number, leaseSeconds: number) {
  if (!device.enabled) throw gatewayRefusal('device_disabled')
  const arrival = ++clock
  return admission.claims.run(userHolder(device.user), async () => {
    if ((lastEmpty.get(device.id) ?? 0) > arrival) return []
    const start = ++clock
    const found = await claimNow(db, device, limit, leaseSeconds)
    if (found.length === 0) lastEmpty.set(device.id, start)
    return found
  })
}

async function claimNow(db: Db, device: Device, limit: number, leaseSeconds: number) {
  if (!device.isLimited) {
    const rows = await query(db, CLAIM, device, limit, null, leaseSeconds)
    if (rows.at(-1)?.[0] !== null) return taken(rows)
  }
  return db.transaction(async (tx) => {
    const { left, lines } = await whatLimitsLeave(tx, device)
    if (lines === null) return taken(await query(tx, CLAIM, device, limit, left, leaseSeconds))
    return taken(await query(tx, CLAIM_PACED, device, limit, left ?? limit, leaseSeconds, lines))
  })
}

/** Up to `limit` messages that a device already holds, with their leases. */
export const leasedMessages = async (
  { db }: Store,
  device: Device,
  limit: number,
): Promise<ClaimedMessage[]> => taken(await query(db, CLAIM, device, limit, 0, 0))

async function query(
  db: Db,
  sql: string,
  device: Device,
  limit: number,
  left: number | null,
  leaseSeconds: number,
  ...lines: readonly string[]
) {
  const values = [device.id, device.user, limit, left, leaseSeconds, ...lines]
  const { rows } = await db.query(sql, values, lines.length > 0 ? 'sms claim paced' : 'sms claim')
  return rows
}

function taken(rows: readonly (readonly unknown[])[]): ClaimedMessage[] {
  counts.claims.asked++
  counts.claims.messages += rows.length
  return rows.map(toMessage)
}

/** Messages that a device's limits and (JSON by id) its lines' still allow. Serializes its claims. */
async function whatLimitsLeave(db: Db, device: Device) {
  await db.query('select pg_advisory_xact_lock($1, hashtext($2))', [LOCKS.claim, device.id])
  const { rows } = await db.query(ALLOWANCE, [device.id, device.user])
  if (!rows[0]) return { left: 0, lines: null }
  const [left, lines] = rows[0] as [number | null, string | null]
  return { left: left === null ? null : Number(left), lines }
}

function toMessage(row: readonly unknown[]): ClaimedMessage {
  const [id, attempt, to, body, sim, priority, expires_at, lease_until] = row
  return { id, attempt, to, body, sim, priority, expires_at, lease_until } as ClaimedMessage
}
