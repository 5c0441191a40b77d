import type { z } from 'zod'
import type { KeyHolder } from '../engine/auth/identify-key.ts'
import { makeKeySender, type Sender } from '../gateway/base/make-sender.ts'
import { asKeyHolder } from '../gateway/messages/require-sender.ts'
import { acceptSend } from '../gateway/messages/send/accept-send.ts'
import { readGivenSend } from '../gateway/messages/send/read-given-send.ts'
import { SEND } from '../gateway/messages/send/send-body-schema.ts'
import type { SendBody } from '../gateway/messages/send/send-options.ts'
import { identifyShownKey, type ShownKey } from '../http/identify-caller.ts'
import type { GatewayServices } from './gateway-services.ts'
import type { DoorCall } from './send-only-protocol.ts'

/** What to send: the fields of `POST /api/sms/send`, with phone numbers in any notation. */
export type DoorSend = Partial<z.output<typeof SEND>>

export type DoorSender = Sender & {
  readonly store: ReturnType<GatewayServices['store']['forUser']>
}

/** An API key, and where it was used. `name`: as in ShownKey. */
export type KeyCredentials = ShownKey & { readonly ip: string }

const makeDoorSender = ({ store }: GatewayServices, holder: KeyHolder): DoorSender => ({
  ...makeKeySender(holder),
  store: store.forUser(holder.auth.id),
})

/** Runs `work` for the user of an API key that may send. */
export const workAsKeyHolder = <T>(
  services: GatewayServices,
  credentials: KeyCredentials,
  work: (sender: DoorSender) => Promise<T>,
): Promise<T> =>
  asKeyHolder(
    services,
    'send',
    (isCached) => identifyShownKey(services.store.signIn, credentials, isCached),
    (holder) => work(makeDoorSender(services, holder)),
  )

/**
 * Runs `work` for the user of a door's API key, which the row of the route reads from a header, or the route
 * from a `parameter` of the body or query.
 */
export function workAsDoorSender<T>(
  { c, services }: DoorCall,
  work: (sender: DoorSender) => Promise<T>,
  parameter?: ShownKey,
): Promise<T> {
  const { incoming } = c.env
  if (parameter) return workAsKeyHolder(services, { ...parameter, ip: incoming.ip }, work)
  return asKeyHolder(
    services,
    'send',
    async (isCached) => (await incoming.identify(isCached))?.key,
    (holder) => work(makeDoorSender(services, holder)),
  )
}

/** Sends for the user of a door's API key. Returns the messages' ids in the order of the recipients. */
export const sendByKey = (
  call: DoorCall,
  read: (sender: DoorSender) => DoorSend | Promise<DoorSend>,
  parameter?: ShownKey,
): Promise<readonly string[]> =>
  workAsDoorSender(
    call,
    async (sender) => {
      const sending = { ...call.services.sending, store: sender.store }
      const { ids } = await acceptSend(sending, sender, {
        read: async () => readDoorSend(call, sender, await read(sender)),
      })
      return ids
    },
    parameter,
  )

/** Reads what to send, with its numbers in E.164. Throws 400. */
export const readDoorSend = (
  { c, services }: DoorCall,
  { store, user }: DoorSender,
  fields: DoorSend,
): Promise<{ readonly body: SendBody }> =>
  readGivenSend(store, user, services.config, {
    ...{ schema: SEND, fields, notation: 'world', request: c.env.incoming },
  })

/** Digits without a plus begin with a calling code here, or are a number of the account's country. */
export const WORLD = { bare: 'world' } as const
