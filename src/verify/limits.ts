import { networkOf } from '../admission/holder.ts'
import { takeText, takeTry, tooMany } from '../auth/limits/attempt-limits.ts'
import type { Store } from '../collections/catalog.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/open.ts'
import { gatewayRefusal, REFUSALS } from '../sms/send/shape.ts'
import { readUsage } from '../sms/usage/quota.ts'
import type { Service } from './service.ts'
import type { Start } from './verification.ts'

/** Seconds until a code may be sent again; doubled with each time. */
const PAUSE_SECONDS = 30
const HOUR_SECONDS = 3_600
const MONTH_SECONDS = 31 * 86_400

/** Counts a code for its number, which is locked until the transaction ends. Throws 429. */
export async function requireNumberAllowed(db: Db, service: Service, to: string) {
  const { id, max_per_hour, max_per_day } = service
  refuse('number_limit_reached', await takeText(db, id, to, max_per_hour, max_per_day))
}

/**
 * Checks the pause since a `pending` code was sent (`age`: seconds), and counts the code for the network that
 * asked for it, its sender (a key or a person) and the service's share of the quota. Throws 429, 402.
 */
export async function requireAllowed(
  store: Store,
  config: Pick<Config, 'monthlyQuota'>,
  { ip, sender }: Start,
  { id, max_per_network, max_per_sender, quota_share }: Service,
  pending: { readonly sends: number; readonly age: number } | undefined,
): Promise<void> {
  const { db } = store
  if (pending) refuse('resend_too_soon', PAUSE_SECONDS * 2 ** (pending.sends - 1) - pending.age)
  const count = async (who: string, max: number) =>
    max > 0 && refuse('sender_limit_reached', await takeTry(db, `verify ${id} ${who}`, max, HOUR_SECONDS))
  if (ip) await count(networkOf(ip), max_per_network)
  await count(sender.sentBy, max_per_sender)
  if (quota_share === 0) return
  const { quota, period } = await readUsage(store, sender.user, config, new Date())
  const max = Math.floor((quota * quota_share) / 100)
  if (quota > 0 && (await takeTry(db, `verify ${id} ${period}`, max, MONTH_SECONDS)) > 0)
    throw gatewayRefusal('quota_exceeded')
}

function refuse(code: 'number_limit_reached' | 'resend_too_soon' | 'sender_limit_reached', seconds: number) {
  if (seconds > 0) throw tooMany(Math.ceil(seconds), REFUSALS[code][1], code)
}
