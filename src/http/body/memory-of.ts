import type { Ctx } from '../context.ts'
import { RequestMemory } from '../request-memory.ts'
import { holderOf } from '../server/store-of.ts'

/** The request's memory account. Opened at first use, for the caller known at that time. */
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

/** Counts a large answer until its client has read it. Without room throws RetryLater, except for writes. */
export function countAnswer(c: Ctx, bytes: number): void {
  if (!c.get('services')) return
  const { method } = c.env.incoming
  if (method === 'GET' || method === 'HEAD') memoryOf(c).hold(bytes)
  else memoryOf(c).force(bytes)
}
