import type { Extension } from '../../records/extension.ts'
import { renumberLine } from './renumber-line.ts'

/** Devices. `last_seen` is measured, not set by clients, not even superusers. */
export const devicesExtension: Extension = {
  grantsAccess: true,
  setByServer: ['last_seen'],
  async beforeCreate(_store, values) {
    values.last_seen = ''
    return {}
  },
  async beforeUpdate(store, values, old) {
    values.last_seen = old.last_seen!
    if (values.phone !== old.phone)
      await renumberLine(store, String(old.id), String(old.phone), String(values.phone))
    return {}
  },
}
