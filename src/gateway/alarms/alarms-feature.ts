import { EVERY_MINUTE, type Feature } from '../base/feature.ts'
import { checkSilentDevices, makeAlarmMailJobs } from './alarm-mails.ts'

export const ALARMS: Feature = {
  timed: ({ store, config: { deviceAlarmMinutes } }) =>
    deviceAlarmMinutes > 0
      ? [
          {
            id: 'deviceAlarms',
            ...EVERY_MINUTE,
            run: () => checkSilentDevices(store.db, deviceAlarmMinutes),
          },
        ]
      : [],
  queued: (services) => [makeAlarmMailJobs((user) => services.store.forUser(user), services)],
}
