import { formatDate } from '../../fields/date.ts'
import { PLAIN_OPTIONS, type PlainContent, toOne } from './body.ts'
import { type SendServices, send } from './send.ts'
import { accountSender } from './shape.ts'

export const CODE_PRIORITY = 100

/** Sends a code from a user's lines, as the account. It is useless after `seconds`. Throws as `send`. */
export function textCode(
  services: SendServices,
  user: string,
  { to, seconds, ...content }: PlainContent & { readonly to: string; readonly seconds: number },
) {
  const expiresAt = formatDate(new Date(Date.now() + seconds * 1000))
  const options = { ...PLAIN_OPTIONS, expiresAt, priority: CODE_PRIORITY, isBulk: true }
  return send(services, accountSender(user, user), toOne(to, content, options))
}
