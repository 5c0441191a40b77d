import type { Extension } from '../records/extension.ts'
import { checkTimeZone } from './time-zone-field.ts'

/** Contacts: a time zone is the name of one. An installation may have left the field out. */
export const contactsExtension: Extension = {
  async beforeCreate(_store, { time_zone }) {
    checkTimeZone(time_zone, 'Failed to create record.')
    return {}
  },
  async beforeUpdate(_store, { time_zone }, old) {
    if (time_zone !== old.time_zone) checkTimeZone(time_zone, 'Failed to update record.')
    return {}
  },
}
