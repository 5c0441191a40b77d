import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { makeStrictExtension } from '../../engine/records/collection-extension.ts'
import { makeGaugeFactory } from '../../http/metrics/family.ts'
import { queries, writeTimeInSeconds } from '../../platform/db/queries.ts'
import { type Feature, HOURLY } from '../base/feature.ts'
import { devicesExtension, linesExtension } from './device-extensions.ts'
import { countLinesByLimit } from './lines-near-limit.ts'
import { LINE_DATA } from './personal-data.ts'
import { deleteOldBatteries, IS_LOW } from './phone-health.ts'

export const LINES: Feature = {
  personalData: LINE_DATA,
  extensions: () => ({
    devices: makeStrictExtension(devicesExtension),
    lines: makeStrictExtension(linesExtension),
  }),
  timed: ({ store }) => [{ id: 'batteryCleanUp', ...HOURLY, run: () => deleteOldBatteries(store) }],
  metrics({ store, config }) {
    const devices = makeGaugeFactory(() => readDevices(store, config.deviceOnlineSeconds))
    const lowBatteries = makeGaugeFactory(() => countLowBatteries(store))
    const lines = makeGaugeFactory(() => countLinesByLimit(store))
    return [
      devices('devices', 'Devices of all accounts, by state.', (states) => states),
      lowBatteries(
        'devices_low_battery',
        'Enabled devices below 15 % that are not charging.',
        (low) => low,
      ),
      lines('lines', 'Lines that can send, by what they have used of their limits.', (states) => ({
        ...states,
      })),
    ]
  },
}

const NONE: Readonly<Record<string, number>> = { online: 0, asleep: 0, silent: 0, disabled: 0 }

/** The number of enabled devices with a low battery. Throws DatabaseUnavailable. */
async function countLowBatteries({ db }: Store): Promise<number> {
  const { low } = await queries(db)
    .selectFrom('device_batteries as b')
    .innerJoin('devices as d', 'd.id', 'b.device')
    .select(({ fn }) => fn.countAll<number>().as('low'))
    .where('d.enabled', '=', true)
    .where(sql<boolean>`${sql.raw(IS_LOW)}`)
    .executeTakeFirstOrThrow()
  return low
}

/** Counts the devices of all accounts, by state. Throws DatabaseUnavailable. */
async function readDevices({ db }: Store, deviceOnlineSeconds: number): Promise<typeof NONE> {
  const since = sql`(select pb_text(${writeTimeInSeconds(-deviceOnlineSeconds)}))`
  const states = await queries(db)
    .selectFrom('devices')
    .select(({ fn }) => [
      sql<string>`case when not enabled then 'disabled' when last_seen >= ${since} then 'online'
        when pb_is_set(push) then 'asleep' else 'silent' end`.as('state'),
      fn.countAll<number>().as('devices'),
    ])
    .groupBy('state')
    .execute()
  return { ...NONE, ...Object.fromEntries(states.map(({ state, devices }) => [state, devices])) }
}
