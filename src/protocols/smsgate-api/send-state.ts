import type { Store } from '../../engine/collections/catalog.ts'
import { gatewayRefusal } from '../../gateway/base/gateway-errors.ts'
import type { SendRow } from '../../gateway/messages/find-send.ts'
import { findSendState, type SendState } from '../../gateway/messages/send-states.ts'
import { toIsoDate } from './smsgate-values.ts'

/** A send for SMSGate's clients. `deviceId`: the device of the first message, '' while none is chosen. */
export type MessageState = ReturnType<typeof renderState>

export function renderState(
  send: SendRow,
  { state, device, recipients, body, states }: SendState,
  hasContent: boolean,
) {
  const createdAt = toIsoDate(send.created)
  const since = Object.entries(JSON.parse(states) as Record<string, string>)
  return {
    id: send.id,
    deviceId: device,
    state,
    isHashed: false,
    isEncrypted: false,
    recipients: JSON.parse(recipients),
    states: {
      Pending: createdAt,
      ...Object.fromEntries(since.map(([name, at]) => [name, toIsoDate(at)])),
    },
    createdAt,
    ...(hasContent && { textMessage: { text: body ?? '' } }),
  }
}

/** The present state of a send. Throws 404 if it has no messages any more. */
export async function readSendState({ db }: Store, user: string, send: SendRow) {
  const state = await findSendState(db, user, send)
  if (!state) throw gatewayRefusal('message_not_found')
  return renderState(send, state, true)
}
