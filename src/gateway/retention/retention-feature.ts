import { EVERY_TEN_MINUTES, type Feature, HOURLY } from '../base/feature.ts'
import { endOldByPerson } from './end-old-by-person.ts'
import { endOldMessages } from './end-old-messages.ts'

/** Deletes or empties old texts. */
export const RETENTION: Feature = {
  timed: ({ store, extensions, config: { retention }, stopping }) => [
    {
      id: 'retention',
      ...EVERY_TEN_MINUTES,
      run: () => endOldMessages(store, extensions, retention, stopping),
    },
    {
      id: 'retentionByPerson',
      ...HOURLY,
      run: () => endOldByPerson(store, extensions, retention, stopping),
    },
  ],
}
