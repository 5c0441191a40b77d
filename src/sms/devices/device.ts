import { type Expression, type SqlBool, sql, type UpdateObject } from 'kysely'
import { z } from 'zod'
import { DEVICES_ID, type Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { NOW, queries } from '../../db/queries.ts'
import { objectsOf } from '../../db/statement.ts'
import type { Tables } from '../../db/tables.ts'
import { dateOf } from '../../fields/date.ts'
import { INSTANT } from '../../fields/instant.ts'
import { minify } from '../../fields/json-text.ts'
import type { AuthRecord } from '../../request/request.ts'
import { gatewayRefusal } from '../send/refusals.ts'
import { updateRecords } from '../status.ts'
import { completeSims } from './sims.ts'

/** SQL: a date; devices seen since then count as online. `seconds`: SQL, such as `$1`. */
export const onlineSince = (seconds: string) => `pb_text(now() - ${seconds}::float8 * interval '1 second')`

/** SQL that returns ids of a user's devices that can be given a message now, by the rules of sms_accept. */
export const availableDevices = (user: string, seconds: string) =>
  `sms_available_devices(${user}, ${onlineSince(seconds)})`

const handedOut = (device: string, window: string) =>
  `(select coalesce(sum(h.messages), 0) from device_handouts h
    where h.device = ${device}.id and h.at > now() - interval '${window}')`

/** SQL: how many messages a device's limits allow now (`device`: alias of its row); null for no limit. */
export const allowance = (device: string) =>
  `least(
    case when ${device}.per_minute > 0 then ${device}.per_minute - ${handedOut(device, '1 minute')} end,
    case when ${device}.daily_limit > 0 then ${device}.daily_limit - ${handedOut(device, '1 day')} end)`

/** A paired device and its user. Each statement for a device checks both ids. */
export interface Device {
  readonly id: string
  readonly user: string
  /** The device's number in E.164, '' if unknown. */
  readonly phone: string
  readonly enabled: boolean
  /** A PocketBase date, '' for never. */
  readonly lastSeen: string
  /** Whether the device has a limit per minute or day. Claims then count the messages of earlier claims. */
  readonly isLimited: boolean
}

/** The calling device. Throws 401 for a guest, 403 for a caller that is not a device. */
export function requireDevice(auth: AuthRecord | null): Device {
  const refusal = 'Only a device may do this. Use the token of its pairing.'
  const { id, values } = requireFrom(auth, DEVICES_ID, refusal)
  return {
    id,
    user: String(values.user),
    phone: String(values.phone),
    enabled: values.enabled === true,
    lastSeen: String(values.last_seen),
    isLimited: Number(values.daily_limit) > 0 || Number(values.per_minute) > 0,
  }
}

/** The calling user. Throws 401 for a guest, 403 for a caller that is not a user. */
export const requireUser = (auth: AuthRecord | null): AuthRecord =>
  requireFrom(auth, 'users', 'Only a user may do this. Sign in as one.')

function requireFrom(auth: AuthRecord | null, collection: string, otherwise: string): AuthRecord {
  if (!auth) throw gatewayRefusal('unauthorized')
  if (auth.collection.name !== collection) throw gatewayRefusal('forbidden', otherwise)
  return auth
}

/** Changes a device if `where` holds, and notifies subscribers. */
export const changeDevice = (
  db: Db,
  { id, user }: Pick<Device, 'id' | 'user'>,
  set: UpdateObject<Tables, 'devices'>,
  where: Expression<SqlBool> = sql<boolean>`true`,
) =>
  updateRecords(db, 'devices', (update) =>
    update.set(set).where('id', '=', id).where('user', '=', user).where(where),
  )

/** Age at which a request updates `last_seen`, or a quarter of `deviceOnlineSeconds` if that is less. */
const MAX_TOUCH_SECONDS = 30

/** `last_seen` is old, or in the future because an earlier database server's clock was ahead. */
const isOld = (
  seconds: number,
) => sql<boolean>`(last_seen < pb_text(now() - ${seconds}::float8 * interval '1 second')
  or last_seen > pb_text(clock_timestamp()))`

export const markSeen = ({ db }: Store, device: Pick<Device, 'id' | 'user'>) =>
  changeDevice(db, device, { last_seen: NOW })

/** Updates `last_seen` unless it is recent; corrects one in the future. */
export async function touchDevice({ db }: Store, device: Device, deviceOnlineSeconds: number): Promise<void> {
  const seconds = Math.min(MAX_TOUCH_SECONDS, deviceOnlineSeconds / 4)
  const ageMs = Date.now() - (dateOf(device.lastSeen)?.getTime() ?? 0)
  if (ageMs < 0 || ageMs >= seconds * 1000) await changeDevice(db, device, { last_seen: NOW }, isOld(seconds))
}

/** Stores a device's SIMs, their numbers in E.164. Characters that Postgres cannot decode become U+FFFD. */
export const saveSims = ({ db }: Store, device: Device, sims: readonly unknown[]) => {
  const json = minify(JSON.stringify(completeSims(sims)))
  const isOther = sql<boolean>`sims::text is distinct from ${json}::text`
  return changeDevice(db, device, { sims: json, last_seen: NOW }, isOther)
}

/** The number of due messages that wait for this device to claim them. Ignores the device's limits. */
export async function countPending({ db }: Store, device: Device): Promise<number> {
  const { pending } = await queries(db)
    .selectFrom('sms_dispatch')
    .select(({ fn }) => fn.countAll<number>().as('pending'))
    .where('device', '=', device.id)
    .where('user', '=', device.user)
    .where('state', '=', sql.lit('assigned'))
    .where(sql<boolean>`(due_at is null or due_at <= now()) and (expires_at is null or expires_at > now())`)
    .executeTakeFirstOrThrow()
  return pending
}

export const CONNECTIONS = ['none', 'wifi', 'ethernet', 'mobile', '2g', '3g', '4g', '5g'] as const

/** A device's report about itself. Absent values are unknown. */
export interface Health {
  /** Battery charge in percent. */
  readonly battery?: number | null | undefined
  readonly charging?: boolean | null | undefined
  readonly connection?: (typeof CONNECTIONS)[number] | null | undefined
}

/**
 * Stores a device's health, unless nothing is known. Unchanged, it is stored only every 10 minutes, to show
 * that it is current.
 */
export async function saveHealth({ db }: Store, { id }: Device, health: Health): Promise<void> {
  const { battery: percent = null, charging = null, connection = null } = health
  if ((percent ?? charging ?? connection) === null) return
  await queries(db)
    .insertInto('device_batteries')
    .values({ device: id, percent, charging, connection })
    .onConflict((found) =>
      found
        .column('device')
        .doUpdateSet(({ ref }) => ({
          percent: ref('excluded.percent'),
          charging: ref('excluded.charging'),
          connection: ref('excluded.connection'),
          at: sql<Date>`now()`,
        }))
        .where(
          sql<boolean>`(device_batteries.percent, device_batteries.charging, device_batteries.connection)
            is distinct from (excluded.percent, excluded.charging, excluded.connection)
            or device_batteries.at < now() - interval '10 minutes'`,
        ),
    )
    .execute()
}

/** Percent below which a battery that is not charging is low. */
const LOW_BATTERY = 15
/** SQL: the row `b` of device_batteries reports a low battery and is less than an hour old. */
export const IS_LOW = `b.percent < ${LOW_BATTERY} and b.charging is not true and b.at > now() - interval '1 hour'`

export const deleteOldBatteries = ({ db }: Store) =>
  db.query(`delete from device_batteries b
    where b.at < now() - interval '30 days' or not exists (select from devices d where d.id = b.device)`)

export type DeviceStates = Readonly<z.output<typeof DEVICE_STATES>>
export const DEVICE_STATES = z
  .object({
    items: z.array(
      z.object({
        device: z.string(),
        online: z.boolean().describe('Seen within DEVICE_ONLINE_SECONDS.'),
        reachable: z
          .boolean()
          .describe('Online, or can be woken by push. A device must also be enabled to be given messages.'),
        battery: z.number().nullable().describe('Percent, as the device last said; null: it never did.'),
        battery_at: INSTANT.nullable().describe('When it said that, and the next two.'),
        charging: z.boolean().nullable(),
        connection: z.enum(CONNECTIONS).nullable().describe('How it reaches the internet.'),
        failing: z
          .boolean()
          .describe('Its last 5 texts or more have failed, by each of its lines that are on.'),
        waiting: z.int().min(0).describe('Messages that wait for it, or that it is sending.'),
        taken_today: z
          .int()
          .min(0)
          .describe('Messages that it claimed in the last 24 hours; they count in `daily_limit`.'),
        lines: z
          .array(
            z.object({
              line: z.string(),
              minute: z.int().min(0).describe('Texts handed out in the last 60 seconds.'),
              day: z.int().min(0).describe('Texts of this local day.'),
              month: z.int().min(0).describe('Texts of this calendar month.'),
              recipients: z.int().min(0).describe('Different numbers of this month.'),
            }),
          )
          .describe(
            'Use of the limits of its lines. Days and months are counted only for lines with a limit of a day or month.',
          ),
      }),
    ),
  })
  .meta({ id: 'DeviceStates' })

const STATES = (whose: string) => `
select d.id as device, d.last_seen >= ${onlineSince('$1')} as online,
  d.last_seen >= ${onlineSince('$1')} or pb_is_set(d.push) as reachable,
  b.percent as battery, pb_text(b.at) as battery_at, b.charging, b.connection,
  coalesce((select bool_and(l.failing_since <> '') from lines l
    where l.device = d.id and l.enabled and l.present), false) as failing,
  (select count(*) from sms_dispatch q where q.device = d.id and q."user" = d."user" and q.state <> 'pending') as waiting,
  coalesce((select sum(h.messages) from device_handouts h where h.device = d.id and h.at > now() - interval '1 day'), 0)
    as taken_today,
  (select coalesce(json_agg(json_build_object('line', l.id,
      'minute', (select coalesce(sum(h.messages), 0) from device_handouts h
        where h.device = d.id and h.line = l.id and h.at > now() - interval '1 minute'),
      'day', case when u.day >= sms_local_day(l."user", now()) then u.day_texts else 0 end,
      'month', case when u.month >= left(sms_local_day(l."user", now()), 7) then u.month_texts else 0 end,
      'recipients', case when u.month >= left(sms_local_day(l."user", now()), 7) then u.recipients else 0 end
    ) order by l.slot), '[]')
    from lines l left join line_use u on u.line = l.id where l.device = d.id) as lines
from devices d left join device_batteries b on b.device = d.id ${whose} order by d.id`

/** The state of each device of a user, or of all users (`null`), ordered by id. */
export async function deviceStates(store: Store, user: string | null, deviceOnlineSeconds: number) {
  const found =
    user === null
      ? await store.db.shaped(STATES(''), [deviceOnlineSeconds])
      : await store.db.shaped(STATES('where d."user" = $2'), [deviceOnlineSeconds, user], 'sms device states')
  const states = objectsOf<DeviceStates['items'][number] & { lines: string }>(found)
  return { items: states.map((state) => ({ ...state, lines: JSON.parse(state.lines) })) }
}
