import type { Store } from '../collections/catalog.ts'
import { noteChange, noteSql } from '../records/changes.ts'

type Action = 'create' | 'update'

/** Notes changed records of a built-in collection, in the transaction that changes them. */
export const noteChanged = (store: Store, collection: string, action: Action, ids: readonly string[]) =>
  noteChange(store, { id: collection }, action, ids)

/** The same for messages. */
export const noteMessages = (store: Store, action: Action, ids: readonly string[]) =>
  noteChanged(store, 'sms_messages', action, ids)

/** The collections that `tellSql` names, in its order. */
export const TOLD = ['sms_messages', 'sms_events'] as const

/**
 * SQL of CTEs that note what a statement does to messages (their ids are in its CTE `changed`) and the events that
 * it adds (in `events`). The parameters `$position` and the next are TOLD.
 */
export const tellSql = (position: number, action: Action = 'update') =>
  `${noteSql('changed', action, position, 'told')}, ${noteSql('events', 'create', position + 1, 'told_events')}`
