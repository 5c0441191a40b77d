import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { toDate } from '../../engine/fields/parse-date.ts'
import { isDisabled } from '../../engine/records/disabled-user.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import type { Device } from '../base/device-record.ts'
import type { MessageAttempt } from '../messages/queue/message-leases.ts'

/** Maximum messages that a phone holds: it sends them one by one, with pauses. */
export const MAX_CAPACITY = 20

/** Letters and digits of a secret: at least 256 bits. */
const SECRET_LENGTH = 43

/** The ids of a device and its user: values, or SQL. */
export interface DeviceIds {
  readonly id: unknown
  readonly user: unknown
}

/** The device of the row `p` of smsgate_phones. */
export const PHONE: DeviceIds = { id: sql.ref('p.device'), user: sql.ref('p.user') }

/** A row of a table with the columns `device` and `user` belongs to the device. */
export const belongsToDevice = ({ id, user }: DeviceIds) =>
  sql<boolean>`(device = ${id} and "user" = ${user})`

/** SQL: attempts as rows; the alias names their columns. */
export const unnestAttempts = (list: readonly MessageAttempt[]) =>
  sql`json_to_recordset(${JSON.stringify(list)}::json)`

/**
 * `path`: the secret end of the URL to which the phone posts what it receives. `missedSince`: when the phone
 * was last seen before it was away, as it may not have posted later texts; '' for never.
 */
const findPhone = (db: Db, device: Device) =>
  queries(db)
    .selectFrom('smsgate_phones')
    .select(['path', 'signing_key as signingKey'])
    .select(sql<string>`coalesce(pb_text(missed_since), '')`.as('missedSince'))
    .where(belongsToDevice(device))
    .executeTakeFirst()

export type Phone = NonNullable<Awaited<ReturnType<typeof findPhone>>>

/** A phone's data, created at its first request. */
export async function findOrMakePhone({ db }: Store, device: Device): Promise<Phone> {
  const known = await findPhone(db, device)
  if (known) return known
  const secrets = {
    path: makeRandomText(SECRET_LENGTH),
    signing_key: makeRandomText(SECRET_LENGTH),
  }
  await queries(db)
    .insertInto('smsgate_phones')
    .values({ device: device.id, user: device.user, ...secrets, room: MAX_CAPACITY })
    .onConflict((found) => found.column('device').doNothing())
    .execute()
  return (await findPhone(db, device))!
}

/** An update of a device's row. */
export const updatePhone = (db: Db, device: Device) =>
  queries(db).updateTable('smsgate_phones').where(belongsToDevice(device))

/** If a phone was away for `awaySeconds`, stores when it was last seen: later texts may be missing. */
export async function recordAbsence(
  store: Store,
  device: Device,
  awaySeconds: number,
): Promise<void> {
  const seen = toDate(device.lastSeen)
  if (!seen || Date.now() - seen.getTime() < awaySeconds * 1000) return
  await updatePhone(store.db, device)
    .set({ missed_since: sql<Date>`coalesce(missed_since, ${seen.toISOString()}::timestamptz)` })
    .execute()
}

/** Stores that a phone was asked for all texts since `since`, so that it is not asked again. */
export const endAbsence = ({ db }: Store, device: Device, since: string) =>
  updatePhone(db, device)
    .set({ missed_since: null })
    .where('missed_since', '<=', sql<Date>`${since}::timestamptz`)
    .execute()

export async function forgetPhones({ db }: Store, devices: readonly string[]): Promise<void> {
  await queries(db).deleteFrom('smsgate_phones').where('device', '=', matchAny(devices)).execute()
  await queries(db).deleteFrom('smsgate_texts').where('device', '=', matchAny(devices)).execute()
}

/** The phone that posts to this secret path, and its signing key; null for an unknown path. */
export async function findPoster({ db }: Store, path: string) {
  const found = await queries(db)
    .selectFrom('smsgate_phones as p')
    .innerJoin('devices as d', (join) =>
      join.onRef('d.id', '=', 'p.device').onRef('d.user', '=', 'p.user'),
    )
    .select([
      'd.id',
      'd.user',
      'd.phone',
      'd.enabled',
      'd.last_seen as lastSeen',
      'p.signing_key as signingKey',
      'd.name',
      'd.addresses',
    ])
    .select(isDisabled('d.user').as('isSuspended'))
    .where('p.path', '=', path)
    .executeTakeFirst()
  if (!found) return null
  const { signingKey, isSuspended, name, addresses, ...device } = found
  return { device: { ...device, isLimited: false }, signingKey, isSuspended, name, addresses }
}
