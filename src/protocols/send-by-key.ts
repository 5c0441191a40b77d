import type { z } from 'zod'
import type { KeyHolder } from '../engine/auth/identify-key.ts'
import { makeKeySender, type Sender } from '../gateway/base/make-sender.ts'
import { readRecipients } from '../gateway/base/read-numbers.ts'
import {
  identifyKeyHolder,
  type KeyCredentials,
  requireKeyAct,
  runAsSender,
} from '../gateway/messages/require-sender.ts'
import { readSend } from '../gateway/messages/send/read-send-body.ts'
import { SEND } from '../gateway/messages/send/send-body-schema.ts'
import { sendMessages } from '../gateway/messages/send/send-messages.ts'
import type { SendBody } from '../gateway/messages/send/send-options.ts'
import type { ShownKey } from '../http/identify-caller.ts'
import type { GatewayServices } from './gateway-services.ts'
import type { DoorCall } from './send-only-protocol.ts'

/** What to send: the fields of `POST /api/sms/send`, with phone numbers in any notation. */
export type DoorSend = Partial<z.output<typeof SEND>>

export type DoorSender = Sender & {
  readonly store: ReturnType<GatewayServices['store']['forUser']>
}

/** Runs `work` for the user of an API key. */
export const workAsKeyHolder = <T>(
  services: GatewayServices,
  credentials: KeyCredentials,
  work: (sender: DoorSender) => Promise<T>,
): Promise<T> =>
  workAsSender(
    services,
    (isCached) => identifyKeyHolder(services, credentials, 'send', isCached),
    work,
  )

const workAsSender = <T>(
  services: GatewayServices,
  identifyHolder: (isCached: boolean) => Promise<KeyHolder>,
  work: (sender: DoorSender) => Promise<T>,
): Promise<T> =>
  runAsSender(
    services,
    async (isCached): Promise<DoorSender> => {
      const holder = await identifyHolder(isCached)
      return { ...makeKeySender(holder), store: services.store.forUser(holder.auth.id) }
    },
    work,
  )

/** The holder of a door's API key. `parameter`: a key in the body or query; else the row says where it is. */
async function requireDoorKey(
  { c, services }: DoorCall,
  parameter: ShownKey | undefined,
  isCached: boolean,
): Promise<KeyHolder> {
  if (parameter) {
    const by = { ...parameter, ip: c.env.incoming.ip }
    return identifyKeyHolder(services, by, 'send', isCached)
  }
  const find = async (cached: boolean) => (await c.env.incoming.identify(cached))?.key
  return requireKeyAct(await find(isCached), 'send', isCached ? () => find(false) : undefined)
}

/** Runs `work` for the holder of a door's API key, see `sendByKey`. */
export const workAsDoorSender = <T>(
  call: DoorCall,
  work: (sender: DoorSender) => Promise<T>,
  parameter?: ShownKey,
): Promise<T> =>
  workAsSender(call.services, (isCached) => requireDoorKey(call, parameter, isCached), work)

/**
 * Sends for the user of an API key, which the row reads from a header, or the route from a `parameter`.
 * Returns the messages' ids in the order of the recipients.
 */
export const sendByKey = (
  call: DoorCall,
  read: (sender: DoorSender) => DoorSend | Promise<DoorSend>,
  parameter?: ShownKey,
): Promise<readonly string[]> =>
  workAsDoorSender(
    call,
    async (sender) => {
      const { store } = sender
      const { services } = call
      const body = await readDoorSend(services, sender, await read(sender))
      const { answer } = await sendMessages({ ...services.sending, store }, sender, body)
      return (JSON.parse(answer) as { message_ids: string[] }).message_ids
    },
    parameter,
  )

/** Reads what to send, with its numbers in E.164. Throws 400. */
export async function readDoorSend(
  services: GatewayServices,
  { store, user }: DoorSender,
  given: DoorSend,
): Promise<SendBody> {
  const { maxRecipients } = services.config
  const recipients = await readRecipients(store, user, given.recipients ?? [], maxRecipients, WORLD)
  return readSend(SEND, { ...given, recipients }, new Date())
}

/** Digits without a plus begin with a calling code here, or are a number of the account's country. */
export const WORLD = { bare: 'world' } as const
