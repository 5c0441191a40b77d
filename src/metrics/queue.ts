import type { Store } from '../collections/catalog.ts'
import { objectsOf } from '../db/rows.ts'

/** What waits in one state of the queue. */
export interface Depth {
  readonly messages: number
  /** Of these, those whose time has come. */
  readonly due: number
  /** How long the oldest due one has waited since it was accepted, or since it was due. 0 where none is. */
  readonly oldestSeconds: number
}

/** Where unfinished messages are. */
export type Queue = Readonly<Record<'pending' | 'assigned' | 'sending', Depth>>

/** Reads the queue, which holds unfinished messages only: 10,000 take 2 ms, a million 0.2 s. */
const DEPTHS = `
select state, count(*) as messages, count(*) filter (where is_due) as due,
  greatest(0, coalesce(extract(epoch from now() - min(since) filter (where is_due)), 0))::float8 as "oldestSeconds"
from (
  select state, greatest(queued_at, due_at) as since, due_at is null or due_at <= now() as is_due from sms_dispatch
) d group by state`

const EMPTY: Depth = { messages: 0, due: 0, oldestSeconds: 0 }

/** How much waits, by state. Throws DatabaseUnavailable. */
export async function readQueue({ db }: Store): Promise<Queue> {
  const found = objectsOf<Depth & { state: keyof Queue }>(await db.query(DEPTHS, [], 'queue depths'))
  const depths = found.map(({ state, ...depth }) => [state, depth])
  return { pending: EMPTY, assigned: EMPTY, sending: EMPTY, ...Object.fromEntries(depths) }
}

const STATES = `
select case when not enabled then 'disabled'
  when last_seen >= (select pb_text(now() - $1::float8 * interval '1 second')) then 'online'
  when pb_is_set(push) then 'asleep' else 'silent' end, count(*)
from devices group by 1`

/** Devices by state: seen lately, not but to be woken by push, neither, or switched off. */
const NONE: Readonly<Record<string, number>> = { online: 0, asleep: 0, silent: 0, disabled: 0 }

/** Devices of all accounts, by state. Throws DatabaseUnavailable. */
export async function readDevices({ db }: Store, deviceOnlineSeconds: number): Promise<typeof NONE> {
  const { rows } = await db.query(STATES, [deviceOnlineSeconds], 'device figures')
  return { ...NONE, ...Object.fromEntries(rows) }
}
