import { readRecipients } from '../../gateway/base/read-numbers.ts'
import { findHookAccount } from '../../gateway/hooks/find-hook.ts'
import { sendManyTexts } from '../../gateway/messages/send/send-many-texts.ts'
import { makePlainSend } from '../../gateway/messages/send/send-options.ts'
import type { GatewayServices } from '../gateway-services.ts'
import { asKeyHolder, makeKeyAsker } from '../send-by-key.ts'
import type { Recipient, SignedInSender } from './recipient.ts'
import { makeSmtpReply } from './smtp-reply.ts'

/** The account of the hook with this secret. `ip`: where the mail was sent from. Throws 550, 403. */
export async function requireHookOwner(
  { store }: GatewayServices,
  secret: string,
  ip: string,
): Promise<string> {
  const user = await findHookAccount(store.signIn, secret, ip)
  if (user === undefined) throw makeSmtpReply(550, 'There is no hook with this address')
  return user
}

/** Judges a recipient before the mail is received: tries to send a short text, and stores nothing. */
export async function validateRecipient(
  services: GatewayServices,
  sender: SignedInSender | undefined,
  ip: string,
  { number, secret }: Recipient,
): Promise<void> {
  if (number === undefined) await requireHookOwner(services, secret, ip)
  else if (!sender) throw makeSmtpReply(530, 'Sign in with an API key to send to a number')
  else {
    await asKeyHolder(services, makeKeyAsker(services, sender.by), async (by) => {
      const [to] = await readRecipients(by.store, by.user, [number], 1)
      const one = { body: makePlainSend(to!, '.'), idempotency: null }
      await sendManyTexts({ ...services.sending, store: by.store }, by, [one], true)
    })
  }
}
