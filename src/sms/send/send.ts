import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import type { Config } from '../../config.ts'
import type { Acceptor } from './accept.ts'
import type { SendBody } from './body.ts'
import { checkBody } from './content.ts'
import { firstAnswer, type Idempotency, whileRunning } from './idempotency.ts'
import { prepareOffer } from './offer.ts'
import { renderVerdict, type Sent } from './render-verdict.ts'
import type { Sender } from './sender.ts'

export interface SendServices {
  readonly store: Store
  readonly config: Pick<Config, 'maxRecipients'>
  readonly acceptor: Acceptor
}

export const ACCEPTED = z
  .object({
    batch_id: z.string().describe('Names all messages of the send; empty when it is one.'),
    message_ids: z
      .array(z.string())
      .min(1)
      .describe('Records of `sms_messages`, one for each recipient, in their order.'),
    recipients_count: z.int().min(1),
    status: z.literal('accepted'),
  })
  .meta({ id: 'Accepted' })

/**
 * Sends all messages of a request or none: checks the body, prepares the offer, stores it with others and
 * renders the result. Throws GatewayErrors in the order of REFUSALS, StaleAuth.
 */
export async function send(
  services: SendServices,
  sender: Sender,
  body: SendBody,
  idempotency: Idempotency | null = null,
): Promise<Sent> {
  const { store, config, acceptor } = services
  checkBody(body, config.maxRecipients)
  // outside the turn: a stored answer blocks no other request
  const first = idempotency && (await firstAnswer(store, sender.user, idempotency))
  if (first) return { answer: first, replayed: true }
  return whileRunning(sender.user, idempotency?.key, async () => {
    const offer = await prepareOffer(store, config.maxRecipients, sender, body, idempotency)
    return renderVerdict(store, offer, await acceptor.accept(offer))
  })
}
