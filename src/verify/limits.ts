import { tooMany } from '../auth/limits/attempt-limits.ts'
import type { Db } from '../db/open.ts'
import { REFUSALS } from '../sms/send/shape.ts'
import type { Service } from './service.ts'
import type { Start } from './verification.ts'

/** What is known of a number when a code is to be sent to it. */
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

/**
 * Asked before each send of a code, in its transaction, while others to the number wait. What is refused
 * stores nothing. Throws 429.
 */
export async function requireAllowed(_db: Db, { service, ages, sends }: Asked): Promise<void> {
  const pause = sends > 0 ? PAUSE_SECONDS * 2 ** (sends - 1) - (ages[0] ?? 0) : 0
  // the age of the first of `max` sends: when it has passed, there is room for one
  const wait = (max: number, seconds: number) => (ages.length < max ? 0 : seconds - ages[max - 1]!)
  const full = Math.max(wait(service.max_per_hour, 3_600), wait(service.max_per_day, 86_400))
  const code = full > 0 ? 'number_limit_reached' : 'resend_too_soon'
  const seconds = Math.ceil(Math.max(pause, full))
  if (seconds > 0) throw tooMany(seconds, REFUSALS[code][1], code)
}
