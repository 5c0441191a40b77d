import type { SMTPServerSession } from 'smtp-server'
import type { AuthRecord } from '../../engine/request/request.ts'
import { looksDialable } from '../../portable/phone/read-phone.ts'
import type { KeyCredentials } from '../send-by-key.ts'

/** Who signed in for a mail: an account, by an API key. */
export interface SignedInSender {
  readonly user: string
  /** The account's record, as it was at the sign-in. For limits. */
  readonly auth: AuthRecord
  readonly by: KeyCredentials
}

/** The sender of an SMTP session. Without a sign-in, smtp-server writes `false` after STARTTLS. */
export const findMailSender = (
  user: SMTPServerSession['user'] | false,
): SignedInSender | undefined => (user || undefined) as SignedInSender | undefined

/** A phone number as the address has it, or a hook (incoming webhook) by its secret. */
export interface Recipient {
  readonly number?: string
  readonly secret: string
}

/** The part of an address before `@`: a phone number, or else the secret of a hook. */
export function parseRecipient(address: string): Recipient {
  const secret = address.slice(0, address.lastIndexOf('@'))
  const unquoted = /^"(.*)"$/s.exec(secret)?.[1]?.replace(/\\(.)/gs, '$1') ?? secret
  return looksDialable(unquoted) ? { number: unquoted, secret } : { secret }
}

/** The recipients that addresses name, each once. `numbers`: as the addresses have them. */
export function parseRecipients(addresses: readonly string[]) {
  const all = addresses.map(parseRecipient)
  return {
    numbers: [...new Set(all.flatMap(({ number }) => number ?? []))],
    secrets: [...new Set(all.filter(({ number }) => !number).map(({ secret }) => secret))],
  }
}
