import { recipientsIn } from '../../gateway/base/read-numbers.ts'
import { hookAccount } from '../../gateway/hooks/find-hook.ts'
import { PLAIN_OPTIONS, toOne } from '../../gateway/messages/send/body.ts'
import { sendAll } from '../../gateway/messages/send/send-all.ts'
import type { GatewayServices } from '../gateway-services.ts'
import { asKeyHolder, WORLD } from '../send-by-key.ts'
import type { MailSender, Recipient } from './recipient.ts'
import { refusal } from './refusal.ts'

/** The account of the hook with this secret. Throws 550 for an unknown secret. */
export async function accountOfHook({ store }: GatewayServices, secret: string): Promise<string> {
  const user = await hookAccount(store.signIn, secret)
  if (user === undefined) throw refusal(550, 'There is no hook with this address')
  return user
}

/** Judges a recipient before the mail is there: tries to send a short text, and stores nothing. */
export async function judgeRecipient(
  services: GatewayServices,
  sender: MailSender | undefined,
  { number, secret }: Recipient,
): Promise<void> {
  if (number === undefined) await accountOfHook(services, secret)
  else if (!sender) throw refusal(530, 'Sign in with an API key to send to a number')
  else {
    await asKeyHolder(services, sender.by, async (by) => {
      const [to] = await recipientsIn(by.store, by.user, [number], 1, WORLD)
      const one = { body: toOne(to!, '.', PLAIN_OPTIONS), idempotency: null }
      await sendAll(by.store, services.config, by, [one], true)
    })
  }
}
