import type { z } from 'zod'
import { makeKeySender, type Sender } from '../gateway/base/make-sender.ts'
import { readRecipients } from '../gateway/base/read-numbers.ts'
import {
  identifyKeyHolder,
  type KeyCredentials,
  runAsSender,
} from '../gateway/messages/require-sender.ts'
import { readSend } from '../gateway/messages/send/read-send-body.ts'
import { SEND } from '../gateway/messages/send/send-body-schema.ts'
import { sendMessages } from '../gateway/messages/send/send-messages.ts'
import type { GatewayServices } from './gateway-services.ts'

/** What to send: the fields of `POST /api/sms/send`, with phone numbers in any notation. */
export type DoorSend = Partial<z.input<typeof SEND>>

type DoorSender = Sender & { readonly store: ReturnType<GatewayServices['store']['forUser']> }

/** Runs `work` for the user of an API key. */
export const workAsKeyHolder = <T>(
  services: GatewayServices,
  credentials: KeyCredentials,
  work: (sender: DoorSender) => Promise<T>,
): Promise<T> =>
  runAsSender(
    services,
    async (isCached): Promise<DoorSender> => {
      const holder = await identifyKeyHolder(services, credentials, 'send', isCached)
      return { ...makeKeySender(holder), store: services.store.forUser(holder.auth.id) }
    },
    work,
  )

/** Sends for the user of an API key. Returns the messages' ids in the order of the recipients. */
export const sendByKey = (
  services: GatewayServices,
  credentials: KeyCredentials,
  read: (sender: DoorSender) => DoorSend | Promise<DoorSend>,
): Promise<readonly string[]> =>
  workAsKeyHolder(services, credentials, async (sender) => {
    const { store, user } = sender
    const given = await read(sender)
    const { maxRecipients } = services.config
    const recipients = await readRecipients(
      store,
      user,
      given.recipients ?? [],
      maxRecipients,
      WORLD,
    )
    const body = readSend(SEND, { ...given, recipients }, new Date())
    const { answer } = await sendMessages({ ...services.sending, store }, sender, body)
    return (JSON.parse(answer) as { message_ids: string[] }).message_ids
  })

/** Digits without a plus begin with a calling code here, or are a number of the account's country. */
export const WORLD = { bare: 'world' } as const
