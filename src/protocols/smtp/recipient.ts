import { hookAccount } from '../../hooks/find-hook.ts'
import type { Services } from '../../http/context.ts'
import type { KeyCredentials } from '../../http/middleware/sender.ts'
import { looksDialable } from '../../portable/phone/read.ts'
import { PLAIN_OPTIONS, toOne } from '../../sms/send/body.ts'
import { recipientsIn } from '../../sms/send/read-numbers.ts'
import { sendAll } from '../../sms/send/send-all.ts'
import { asKeyHolder, WORLD } from '../send-by-key.ts'
import { refusal } from './refusal.ts'

/** Who signed in for a mail: an account, by an API key. */
export interface MailSender {
  readonly user: string
  readonly by: KeyCredentials
}

/** A phone number as the address has it, or a hook (incoming webhook) by its secret. */
export interface Recipient {
  readonly number?: string
  readonly secret: string
}

/** What an address names before `@`: a phone number, or else the secret of a hook. */
export function recipientOf(address: string): Recipient {
  const secret = address.slice(0, address.lastIndexOf('@'))
  const unquoted = /^"(.*)"$/s.exec(secret)?.[1]?.replace(/\\(.)/gs, '$1') ?? secret
  return looksDialable(unquoted) ? { number: unquoted, secret } : { secret }
}

/** The recipients that addresses name, each once. `numbers`: as the addresses have them. */
export function recipientsOf(addresses: readonly string[]) {
  const all = addresses.map(recipientOf)
  return {
    numbers: [...new Set(all.flatMap(({ number }) => number ?? []))],
    secrets: [...new Set(all.filter(({ number }) => !number).map(({ secret }) => secret))],
  }
}

/** The account of the hook with this secret. Throws 550 for an unknown secret. */
export async function accountOfHook({ store }: Services, secret: string): Promise<string> {
  const user = await hookAccount(store.signIn, secret)
  if (user === undefined) throw refusal(550, 'There is no hook with this address')
  return user
}

/** Judges a recipient before the mail is there: tries to send a short text, and stores nothing. */
export async function judgeRecipient(
  services: Services,
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
