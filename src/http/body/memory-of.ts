import type { Ctx } from '../context.ts'
import { RequestMemory } from '../request-memory.ts'
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

/** Counts a large answer until its client has read it. Without room: RetryLater, never for a write. */
export function countAnswer(c: Ctx, bytes: number): void {
  if (!c.get('services')) return
  const { method } = c.env.incoming
  if (method === 'GET' || method === 'HEAD') memoryOf(c).hold(bytes)
  else memoryOf(c).force(bytes)
}
