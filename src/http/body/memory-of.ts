import type { Ctx } from '../context.ts'
import { RequestMemory } from '../request-memory.ts'
import { holderOf } from '../server/holder.ts'

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
