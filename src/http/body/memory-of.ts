import { AnswerMeter } from '../../request/answer-meter.ts'
import type { AuthRecord } from '../../request/request.ts'
import type { Ctx, Services } from '../context.ts'
import { RequestMemory, SMALL_BYTES } from '../request-memory.ts'
import { holderOf } from '../server/store-of.ts'

/** The memory of a request, opened when first needed for the caller that is known by then. */
export function memoryOf(c: Ctx): RequestMemory {
  const known = c.get('memory')
  if (known) return known
  const { incoming, outgoing } = c.env
  const auth = c.get('asker') ?? null
  const memory = new RequestMemory(holderOf(incoming, c.get('services')!, auth), auth?.isSuperuser)
  c.set('memory', memory)
  if (outgoing.closed) memory.close()
  else outgoing.once('close', () => memory.close())
  return memory
}

/** What counts a request's answer while it is made. */
export function meterFor(c: Ctx, services: Services, auth: AuthRecord | null): AnswerMeter {
  c.set('services', services)
  c.set('asker', auth)
  return new AnswerMeter(() => memoryOf(c), c.get('memory')?.answer)
}

/**
 * Counts a large answer until its client has read it. Throws RetryLater for GET and HEAD without room; what a
 * write has stored is always answered.
 */
export function countAnswer(c: Ctx, bytes: number): void {
  if (bytes <= SMALL_BYTES || !c.get('services')) return
  const { method } = c.env.incoming
  if (method === 'GET' || method === 'HEAD') memoryOf(c).hold(bytes)
  else memoryOf(c).force(bytes)
}
