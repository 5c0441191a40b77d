import type { Store } from '../../collections/catalog.ts'
import { changeLogCte, logChange } from '../../records/changes.ts'

type Action = 'create' | 'update'

/** Notes changed records of a built-in collection, in the transaction that changes them. */
export const logChanged = (
  store: Pick<Store, 'db'>,
  collection: string,
  action: Action,
  ids: readonly string[],
) => logChange(store, { id: collection }, action, ids)

/** CTE that logs changed messages (CTE `changed`). The trigger sms_events_noted logs events. */
export const messageLogCte = (action: Action = 'update') =>
  changeLogCte('changed', action, 'sms_messages', 'told')
