import { gatewayRefusal, isRefusal } from '../../gateway/base/gateway-errors.ts'
import { isAllowed } from '../../gateway/base/permissions.ts'
import type { ShownKey } from '../../http/identify-caller.ts'
import { type DoorSend, type DoorSender, sendByKey } from '../send-by-key.ts'
import type { DoorCall } from '../send-only-protocol.ts'
import { findRecipients, type Recipients } from './find-recipients.ts'

type NamedSend = DoorSend & { readonly named: Recipients }

/**
 * Checks the API key, calls `read` and sends. Returns ids and phone numbers: '' for members of groups, and
 * for contacts unless the key may read them. `parameter`: as in `sendByKey`.
 */
export async function sendToNamed(
  call: DoorCall,
  read: () => NamedSend | Promise<NamedSend>,
  parameter?: ShownKey,
) {
  let shown: readonly string[] = []
  const complete = async (sender: DoorSender): Promise<DoorSend> => {
    const { named, ...what } = await read()
    const { store, user } = sender
    const { maxRecipients } = call.services.config
    const { numbers, ...found } = await findRecipients(store, user, maxRecipients, named)
    shown = isAllowed(sender, 'readContacts') ? found.recipients : numbers
    return { ...what, ...found }
  }
  const ids = await sendByKey(call, complete, parameter).catch((error: unknown) => {
    if (!isRefusal(error, 'unauthorized')) throw error
    const isToken = parameter?.name === undefined
    throw gatewayRefusal(
      'unauthorized',
      isToken ? 'Invalid access token' : 'Invalid login or password',
    )
  })
  return ids.map((id, i) => ({ id, number: shown[i] ?? '' }))
}
