import { AnswerMeter, LargeAnswer, type Room } from '../../request/answer-meter.ts'
import type { AuthRecord } from '../../request/request.ts'
import type { Ctx, Services } from '../context.ts'
import { holderOf } from '../server/holder.ts'
import { answerRoom, type Hold } from './answer-room.ts'

/** Answers up to this size are not counted: each connection has one of them at a time. */
export const COUNTED_BYTES = 64 << 10
/** A client that takes nothing of a large answer for so long is cut off. */
export const STALLED_MS = 60_000
/** An answer may turn out to be larger than at first each time that it is made. */
const MAX_TRIES = 5

/** The room of a request, opened when it is first needed. */
class RequestRoom implements Room {
  readonly #c: Ctx
  readonly #services: Services
  readonly #auth: AuthRecord | null

  constructor(c: Ctx, services: Services, auth: AuthRecord | null) {
    this.#c = c
    this.#services = services
    this.#auth = auth
  }

  tryTake(bytes: number): boolean {
    return holdOf(this.#c, this.#services, this.#auth).tryTake(bytes)
  }

  take(bytes: number): Promise<void> {
    return holdOf(this.#c, this.#services, this.#auth).take(bytes)
  }
}

/** What counts a request's answer while it is made: see `withRoom`. */
export function meterFor(c: Ctx, services: Services, auth: AuthRecord | null): AnswerMeter {
  c.set('asker', auth)
  return new AnswerMeter(new RequestRoom(c, services, auth), c.get('hold')?.bytes)
}

/**
 * What the answer of a request holds of the room; released when its connection has taken all of it, or has
 * ended.
 */
function holdOf(c: Ctx, services: Services, auth: AuthRecord | null): Hold {
  const known = c.get('hold')
  if (known) return known
  const { incoming, outgoing } = c.env
  const hold = answerRoom.open(holderOf(incoming, services, auth), () => void outgoing.destroy())
  c.set('hold', hold)
  if (outgoing.closed) hold.release()
  else outgoing.once('close', () => hold.release())
  return hold
}

/**
 * Makes an answer, and again when it turned out to be a large one and had to wait for room: nothing of it
 * stays in memory meanwhile. `work` commits nothing before its answer is made. Throws 429 or 503 when there
 * is no room for too long.
 */
export async function withRoom<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof LargeAnswer) || tries === MAX_TRIES) throw error
      await error.wait()
    }
  }
}

/**
 * Counts a large answer until its client has read it; the caller has compared it with COUNTED_BYTES. For GET
 * and HEAD without room it throws LargeAnswer, and `withRoom` makes the answer again later. A write cannot be
 * undone: it gets room at once, and unread answers of others are cut off, those of the same holder first.
 */
export function countAnswer(c: Ctx, bytes: number): void {
  const services = c.get('services')
  if (!services) return
  const hold = holdOf(c, services, c.get('asker') ?? null)
  const { method } = c.env.incoming
  if (method !== 'GET' && method !== 'HEAD') hold.force(bytes)
  else if (!hold.tryTake(bytes)) throw new LargeAnswer(bytes, hold)
  hold.startSending()
  cutWhenStalled(c)
}

/** From now on to the end of this answer a client that takes nothing is cut off early. */
export function cutWhenStalled({ env: { outgoing } }: Ctx): void {
  // Node sets the connection's usual limits again for its next request
  outgoing.socket?.setTimeout(STALLED_MS)
}
