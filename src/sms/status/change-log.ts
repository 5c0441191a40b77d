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

/** The collections that `changeLogCtes` names, in its order. */
export const CHANGE_LOG_PARAMS = ['sms_messages', 'sms_events'] as const

/** CTEs that log changes (CTE `changed`) and events (CTE `events`). CHANGE_LOG_PARAMS: `$position`. */
export const changeLogCtes = (position: number, action: Action = 'update') =>
  `${changeLogCte('changed', action, position, 'told')}, ${changeLogCte('events', 'create', position + 1, 'told_events')}`
