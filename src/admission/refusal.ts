import { RetryLater } from '../errors.ts'
import { counts, increment } from '../metrics/counts.ts'

/** A holder, or all together, exceeded a limit of this room. It refuses a whole batch. */
export class OverLimit extends RetryLater {}

/**
 * The answer to work over a limit: 429 when the holder used up its own share, 503 when all holders together
 * use up the server's. `name` is the limit as docs/security.md names it.
 */
export function overLimit(name: string, isOwn: boolean, seconds: number): OverLimit {
  increment(counts.overLimits, name)
  const whose = isOwn ? 'your share' : "the server's share"
  return new OverLimit(isOwn ? 429 : 503, Math.max(1, Math.ceil(seconds)), `${whose} of ${name} is used up`)
}
