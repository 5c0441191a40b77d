import { networkOf } from '../admission/holder.ts'
import { takeTry, tooMany } from '../auth/limits/attempt-limits.ts'
import type { Store } from '../collections/catalog.ts'
import type { Config } from '../config.ts'
import { gatewayRefusal, REFUSALS } from '../sms/send/shape.ts'
import { readUsage } from '../sms/usage/quota.ts'
import type { Service } from './service.ts'
import type { Start } from './verification.ts'

export interface Asked {
  readonly start: Start
  readonly service: Service
  /** The seconds since each code that the service sent to the number within a day, the last one first. */
  readonly ages: readonly number[]
  /** How often the code that is to be sent was sent before; 0 for a new one. */
  readonly sends: number
}

/** Seconds until a code may be sent again; doubled with each time. */
const PAUSE_SECONDS = 30
const HOUR_SECONDS = 3_600
const MONTH_SECONDS = 31 * 86_400

/** Checks the limits before a code is sent, under the number's lock. Throws 429, 402. */
export async function requireAllowed(store: Store, config: Pick<Config, 'monthlyQuota'>, asked: Asked) {
  const { service, ages, sends } = asked
  const pause = sends > 0 ? PAUSE_SECONDS * 2 ** (sends - 1) - (ages[0] ?? 0) : 0
  // there is room once the oldest of the last `max` sends is older than `seconds`
  const wait = (max: number, seconds: number) => (ages.length < max ? 0 : seconds - ages[max - 1]!)
  const full = Math.max(wait(service.max_per_hour, HOUR_SECONDS), wait(service.max_per_day, 86_400))
  refuse(full > 0 ? 'number_limit_reached' : 'resend_too_soon', Math.max(pause, full))
  await countHour(store, asked)
  await countMonth(store, config, asked)
}

function refuse(code: 'number_limit_reached' | 'resend_too_soon' | 'sender_limit_reached', seconds: number) {
  if (seconds > 0) throw tooMany(Math.ceil(seconds), REFUSALS[code][1], code)
}

/** Counts a code for the network that asked for it, and for its sender: a key or a person. */
async function countHour({ db }: Store, { start: { ip, sender }, service }: Asked): Promise<void> {
  const { id, max_per_network, max_per_sender } = service
  const count = async (who: string, max: number) =>
    max > 0 && refuse('sender_limit_reached', await takeTry(db, `verify ${id} ${who}`, max, HOUR_SECONDS))
  if (ip) await count(networkOf(ip), max_per_network)
  await count(sender.sentBy, max_per_sender)
}

/** Counts a code in the month, if the service may use only a share of the quota. */
async function countMonth(
  store: Store,
  config: Pick<Config, 'monthlyQuota'>,
  { start: { sender }, service: { id, quota_share } }: Asked,
): Promise<void> {
  if (quota_share === 0) return
  const { quota, period } = await readUsage(store, sender.user, config, new Date())
  const max = Math.floor((quota * quota_share) / 100)
  if (quota > 0 && (await takeTry(store.db, `verify ${id} ${period}`, max, MONTH_SECONDS)) > 0)
    throw gatewayRefusal('quota_exceeded')
}
