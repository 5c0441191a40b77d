import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { queries } from '../../platform/db/queries.ts'
import type { Device } from '../base/device-record.ts'

export const CONNECTIONS = ['none', 'wifi', 'ethernet', 'mobile', '2g', '3g', '4g', '5g'] as const

/** A device's report about itself. Absent values are unknown. */
export interface Health {
  /** Battery charge in percent. */
  readonly battery?: number | null | undefined
  readonly charging?: boolean | null | undefined
  readonly connection?: (typeof CONNECTIONS)[number] | null | undefined
  /** API level of its Android. Absent, the stored one stays. */
  readonly android?: number | null | undefined
}

/**
 * Stores a device's health, unless nothing is known. Unchanged, it is stored only every 10 minutes, to show
 * that it is current.
 */
export async function saveHealth({ db }: Store, { id }: Device, health: Health): Promise<void> {
  const { battery: percent = null, charging = null, connection = null, android = null } = health
  if ((percent ?? charging ?? connection ?? android) === null) return
  await queries(db)
    .insertInto('device_batteries')
    .values({ device: id, percent, charging, connection, android })
    .onConflict((found) =>
      found
        .column('device')
        .doUpdateSet(({ ref }) => ({
          percent: ref('excluded.percent'),
          charging: ref('excluded.charging'),
          connection: ref('excluded.connection'),
          android: sql`coalesce(excluded.android, device_batteries.android)`,
          at: sql<Date>`now()`,
        }))
        .where(
          sql<boolean>`(device_batteries.percent, device_batteries.charging, device_batteries.connection)
            is distinct from (excluded.percent, excluded.charging, excluded.connection)
            or device_batteries.android is distinct from coalesce(excluded.android, device_batteries.android)
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
  queries(db)
    .deleteFrom('device_batteries as b')
    .where(({ or, not, exists, selectFrom }) =>
      or([
        sql<boolean>`b.at < now() - interval '30 days'`,
        not(exists(selectFrom('devices as d').whereRef('d.id', '=', 'b.device'))),
      ]),
    )
    .execute()
