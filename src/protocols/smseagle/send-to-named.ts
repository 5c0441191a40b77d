import { gatewayRefusal, isRefusal } from '../../gateway/base/gateway-errors.ts'
import { isAllowed } from '../../gateway/base/permissions.ts'
import type { KeyCredentials } from '../../gateway/messages/require-sender.ts'
import { readClientIp } from '../../http/server/client-address.ts'
import { type DoorSend, sendByKey } from '../send-by-key.ts'
import type { DoorCall } from '../send-only-protocol.ts'
import { findRecipients, type Recipients } from './find-recipients.ts'

/**
 * Checks the API key, calls `read` and sends. Returns ids and phone numbers: '' for members of groups, and
 * for contacts unless the key may read them.
 */
export async function sendToNamed(
  { c, services }: DoorCall,
  by: Omit<KeyCredentials, 'ip'>,
  read: () => DoorSend & { readonly named: Recipients },
) {
  let shown: readonly string[] = []
  const sent = sendByKey(services, { ...by, ip: readClientIp(c, services) }, async (sender) => {
    const { named, ...what } = read()
    const { store, user } = sender
    const { maxRecipients } = services.config
    const { numbers, ...found } = await findRecipients(store, user, maxRecipients, named)
    shown = isAllowed(sender, 'readContacts') ? found.recipients : numbers
    return { ...what, ...found }
  })
  const ids = await sent.catch((error: unknown) => {
    if (!isRefusal(error, 'unauthorized')) throw error
    const isToken = by.name === undefined
    throw gatewayRefusal(
      'unauthorized',
      isToken ? 'Invalid access token' : 'Invalid login or password',
    )
  })
  return ids.map((id, i) => ({ id, number: shown[i] ?? '' }))
}
