import { type Expression, type SqlBool, sql, type UpdateObject } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { DEVICES_ID } from '../../engine/collections/collection.ts'
import { minifyJson } from '../../engine/fields/json-text.ts'
import { toDate } from '../../engine/fields/parse-date.ts'
import type { AuthRecord } from '../../engine/request/request.ts'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { completeSimCards } from './complete-sim-numbers.ts'
import { gatewayRefusal } from './gateway-errors.ts'
import { updateRecords } from './message-status.ts'

/** SQL: a date; devices seen since then count as online. `seconds`: SQL, such as `$1`. */
export const writeOnlineSince = (seconds: string) =>
  `pb_text(now() - ${seconds}::float8 * interval '1 second')`

const writeHandedOut = (device: string, window: string) =>
  `(select coalesce(sum(h.messages), 0) from device_handouts h
    where h.device = ${device}.id and h.at > now() - interval '${window}')`

/** SQL: how many messages a device's limits allow now (`device`: alias of its row); null for no limit. */
export const writeAllowance = (device: string) =>
  `least(
    case when ${device}.per_minute > 0 then ${device}.per_minute - ${writeHandedOut(device, '1 minute')} end,
    case when ${device}.daily_limit > 0 then ${device}.daily_limit - ${writeHandedOut(device, '1 day')} end)`

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
  const { id, values } = requireRecordFrom(auth, DEVICES_ID, refusal)
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
export const requireUserRecord = (auth: AuthRecord | null): AuthRecord =>
  requireRecordFrom(auth, 'users', 'Only a user may do this. Sign in as one.')

function requireRecordFrom(
  auth: AuthRecord | null,
  collection: string,
  otherwise: string,
): AuthRecord {
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
const isSeenTimeOld = (
  seconds: number,
) => sql<boolean>`(last_seen < pb_text(now() - ${seconds}::float8 * interval '1 second')
  or last_seen > pb_text(clock_timestamp()))`

export const markDeviceSeen = ({ db }: Store, device: Pick<Device, 'id' | 'user'>) =>
  changeDevice(db, device, { last_seen: NOW })

/** Updates `last_seen` unless it is recent; corrects one in the future. */
export async function touchDevice(
  { db }: Store,
  device: Device,
  deviceOnlineSeconds: number,
): Promise<void> {
  const seconds = Math.min(MAX_TOUCH_SECONDS, deviceOnlineSeconds / 4)
  const ageMs = Date.now() - (toDate(device.lastSeen)?.getTime() ?? 0)
  if (ageMs < 0 || ageMs >= seconds * 1000)
    await changeDevice(db, device, { last_seen: NOW }, isSeenTimeOld(seconds))
}

/** Stores a device's SIMs, their numbers in E.164. Characters that Postgres cannot decode become U+FFFD. */
export const saveSims = ({ db }: Store, device: Device, sims: readonly unknown[]) => {
  const json = minifyJson(JSON.stringify(completeSimCards(sims)))
  const isOther = sql<boolean>`sims::text is distinct from ${json}::text`
  return changeDevice(db, device, { sims: json, last_seen: NOW }, isOther)
}

/** The value of `mms` that changes when a device says whether it can send MMS: `off` is the owner's. */
const writeOldMms = (can: boolean) => (can ? '' : 'on')

/** SQL: whether a device has lines that `saveMms` changes. */
export const hasOldMms = ({ id }: Pick<Device, 'id'>, can: boolean) =>
  sql<boolean>`exists (select from lines l where l.device = ${id} and l.mms = ${writeOldMms(can)})`

/** Stores whether a device can send MMS, for its lines whose owner has not forbidden it. */
export const saveMms = ({ db }: Store, { id, user }: Device, can: boolean) =>
  updateRecords(db, 'lines', (update) =>
    update
      .set({ mms: can ? 'on' : '' })
      .where('device', '=', id)
      .where('user', '=', user)
      .where('mms', '=', writeOldMms(can)),
  )

/** The number of due messages that wait for this device to claim them. Ignores the device's limits. */
export async function countPending({ db }: Store, device: Device): Promise<number> {
  const { pending } = await queries(db)
    .selectFrom('sms_dispatch')
    .select(({ fn }) => fn.countAll<number>().as('pending'))
    .where('device', '=', device.id)
    .where('user', '=', device.user)
    .where('state', '=', sql.lit('assigned'))
    .where(
      sql<boolean>`(due_at is null or due_at <= now()) and (expires_at is null or expires_at > now())`,
    )
    .executeTakeFirstOrThrow()
  return pending
}
