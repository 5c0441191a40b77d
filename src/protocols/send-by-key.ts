import type { z } from 'zod'
import { gatewayRefusal } from '../gateway/base/gateway-errors.ts'
import { makeKeySender } from '../gateway/base/make-sender.ts'
import { requirePermit } from '../gateway/base/permissions.ts'
import type { SendingCaller } from '../gateway/messages/require-sender.ts'
import { acceptSend } from '../gateway/messages/send/accept-send.ts'
import { readGivenSend } from '../gateway/messages/send/read-send.ts'
import { SEND } from '../gateway/messages/send/send-body-schema.ts'
import type { SendBody } from '../gateway/messages/send/send-options.ts'
import { type Asker, retryRequest } from '../http/attempt.ts'
import {
  type Identity,
  identifyShownKey,
  makeKeyIdentity,
  type ShownKey,
} from '../http/identify-caller.ts'
import type { GatewayServices } from './gateway-services.ts'
import type { DoorCall } from './send-only-protocol.ts'

/** The send: the fields of `POST /api/sms/send`, with phone numbers in any notation. */
export type DoorSend = Partial<z.output<typeof SEND>>

/** An API key, and where it was used. `name`: as in ShownKey. */
export type KeyCredentials = ShownKey & { readonly ip: string }

/** Finds the holder of an API key in a body, a query or a sign-in. */
export const makeKeyAsker = (
  { store }: GatewayServices,
  credentials: KeyCredentials,
): Asker<Identity | null> => ({
  async identify(isCached) {
    const holder = await identifyShownKey(store.signIn, credentials, isCached)
    return holder && makeKeyIdentity(holder)
  },
})

/**
 * Runs `work` for the holder of an API key that may send, again if the key or the account has changed
 * meanwhile. `asker`: the request itself if the row of its route reads the key. Throws 401, 403.
 */
export const asKeyHolder = <T>(
  { store }: GatewayServices,
  asker: Asker<Identity | null>,
  work: (sender: SendingCaller) => Promise<T>,
): Promise<T> =>
  retryRequest(
    store,
    asker,
    (found) => {
      if (!found?.key) throw gatewayRefusal('unauthorized')
      const { auth, key } = found
      // not the request's store, which drops what waits for a client that has closed its connection: some
      // alarm programs close at once
      const sender = { ...makeKeySender(key), auth, store: store.forUser(auth.id) }
      requirePermit(sender, 'send')
      return work(sender)
    },
    { comparesVersion: true },
  )

/** Sends for the holder of a door's API key. Returns the messages' ids in the order of the recipients. */
export const sendByKey = (
  call: DoorCall,
  read: (sender: SendingCaller) => DoorSend | Promise<DoorSend>,
  asker: Asker<Identity | null> = call.c.env.incoming,
): Promise<readonly string[]> =>
  asKeyHolder(call.services, asker, async (sender) => {
    const sending = { ...call.services.sending, store: sender.store }
    const { ids } = await acceptSend(sending, sender, {
      read: async () => readDoorSend(call, sender, await read(sender)),
    })
    return ids
  })

/** Reads what to send, with its numbers in E.164. Throws 400. */
export const readDoorSend = (
  { c, services }: DoorCall,
  { store, user }: SendingCaller,
  fields: DoorSend,
): Promise<{ readonly body: SendBody }> =>
  readGivenSend(store, user, services.config, {
    schema: SEND,
    fields,
    notation: 'any',
    request: c.env.incoming,
  })
