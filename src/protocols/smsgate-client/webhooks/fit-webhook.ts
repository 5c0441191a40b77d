import { randomId } from '../../../tools/random.ts'
import type { FitWebhook } from '../../../webhooks/extensions.ts'
import { SMSGATE_EVENTS, type SmsgateEvent } from './event.ts'
import { ensureSigningKey } from './signing-key.ts'

/** A webhook in SMSGate's form gets the matching event, an id and a key. */
export const fitSmsgate: FitWebhook = async (store, values) => {
  const { smsgate_event: event, smsgate_id: id } = values
  if (!event || !Object.hasOwn(SMSGATE_EVENTS, String(event))) {
    if (id) values.smsgate_id = ''
    return
  }
  values.events = [SMSGATE_EVENTS[event as SmsgateEvent]]
  values.smsgate_id = id || randomId()
  await ensureSigningKey(store.db, String(values.user))
}
