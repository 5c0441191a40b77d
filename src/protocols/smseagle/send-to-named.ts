import { gatewayRefusal, isRefusal } from '../../gateway/base/gateway-errors.ts'
import { isAllowed } from '../../gateway/base/permissions.ts'
import type { SendingCaller } from '../../gateway/messages/require-sender.ts'
import type { ShownKey } from '../../http/identify-caller.ts'
import { type DoorSend, makeKeyAsker, sendByKey } from '../send-by-key.ts'
import type { DoorCall } from '../send-only-protocol.ts'
import { findRecipients, type Recipients } from './find-recipients.ts'

type NamedSend = DoorSend & { readonly named: Recipients }

/**
 * Checks the API key, calls `read` and sends. Returns ids and phone numbers: '' for members of groups, and
 * for contacts unless the key may read them. `given`: the key, if the route reads it from a body or query.
 */
export async function sendToNamed(
  call: DoorCall,
  read: () => NamedSend | Promise<NamedSend>,
  given?: ShownKey,
) {
  let shown: readonly string[] = []
  const complete = async (sender: SendingCaller): Promise<DoorSend> => {
    const { named, ...what } = await read()
    const { store, user } = sender
    const { maxRecipients } = call.services.config
    const { numbers, ...found } = await findRecipients(store, user, maxRecipients, named)
    shown = isAllowed(sender, 'readContacts') ? found.recipients : numbers
    return { ...what, ...found }
  }
  const { ip } = call.c.env.incoming
  const asker = given && makeKeyAsker(call.services, { ...given, ip })
  const ids = await sendByKey(call, complete, asker).catch((error: unknown) => {
    if (!isRefusal(error, 'unauthorized')) throw error
    const isToken = given?.name === undefined
    throw gatewayRefusal(
      'unauthorized',
      isToken ? 'Invalid access token' : 'Invalid login or password',
    )
  })
  return ids.map((id, i) => ({ id, number: shown[i] ?? '' }))
}
