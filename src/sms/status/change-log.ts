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

/**
 * CTEs that log changes of messages (ids in CTE `changed`) and events (CTE `events`). Parameters from
 * `$position`: CHANGE_LOG_PARAMS.
 */
export const changeLogCtes = (position: number, action: Action = 'update') =>
  `${changeLogCte('changed', action, position, 'told')}, ${changeLogCte('events', 'create', position + 1, 'told_events')}`

/**
 * A CTE that queues webhook events for messages that changed status. CTE `events` has `id, "user", message,
 * status`. A trigger does it for Twilio's form (twilio_events_noted.sql). Without webhooks: one index lookup
 * per statement.
 */
export const WEBHOOK_CTE = `hooked as (
  insert into webhook_dispatch (delivery, webhook, "user", event_id, event, message)
  select pb_new_id(), w.id, e."user", e.id, 'message.' || e.status, e.message
  from events e join webhooks w on w."user" = e."user" and w.enabled and 'message.' || e.status = any(w.events)
    and w.format <> 'twilio'
)`
