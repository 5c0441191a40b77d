import { strict } from '../../engine/records/collection-extension.ts'
import { gaugesOf } from '../../http/metrics/family.ts'
import { type Feature, HOURLY } from '../base/feature.ts'
import { countLowBatteries, readDevices } from './device-counts.ts'
import { devicesExtension, linesExtension } from './device-extensions.ts'
import { deleteOldBatteries } from './health.ts'
import { readLineFigures } from './lines-near-limit.ts'

/** Phones, agents and their lines. */
export const LINES: Feature = {
  extensions: () => ({ devices: strict(devicesExtension), lines: strict(linesExtension) }),
  timed: ({ store }) => [{ id: 'batteryCleanUp', ...HOURLY, run: () => deleteOldBatteries(store) }],
  metrics({ store, config }) {
    const devices = gaugesOf(() => readDevices(store, config.deviceOnlineSeconds))
    const lowBatteries = gaugesOf(() => countLowBatteries(store))
    const lines = gaugesOf(() => readLineFigures(store))
    return [
      devices('devices', 'Devices of all accounts, by state.', (states) => states),
      lowBatteries('devices_low_battery', 'Enabled devices below 15 % that are not charging.', (low) => low),
      lines('lines', 'Lines that can send, by what they have used of their limits.', (states) => ({
        ...states,
      })),
    ]
  },
}
