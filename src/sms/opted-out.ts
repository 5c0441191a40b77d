import type { Store } from '../collections/catalog.ts'
import type { Db } from '../db/open.ts'
import type { Device } from './device.ts'
import { fail, type Paid } from './fail.ts'
import { isOptedOut } from './opt-out.ts'
import type { Wake } from './overdue.ts'
import { giveBack } from './quota.ts'
import type { Source } from './reassign.ts'
import type { Attempt } from './renew.ts'
import { REASONS } from './status.ts'

/** Rows a sweep takes at once; the rest is for the next tick. */
const MAX_ROWS = 1_000

const DUE: Source = {
  name: 'opted out meanwhile',
  sql: `select d.* from sms_dispatch d
  join sms_messages m on m.id = d.message
  join contacts c on c."user" = d."user" and c.phone = m."to" and c.opted_out
  where d.state = 'pending' and d.due_at <= now()
  order by d.due_at limit ${MAX_ROWS} for update of d skip locked`,
}

/** Ends scheduled messages that are due, but whose recipient has been opted out since they were accepted. */
export async function endOptedOut(db: Db): Promise<Wake> {
  await giveAllBack(db, await fail(db, DUE, REASONS.optedOut))
  return []
}

/** By the index on user and status: of what waits, only this user's is looked at. */
const WAITING: Source = {
  name: 'said stop',
  sql: `select d.* from sms_messages m join sms_dispatch d on d.message = m.id
  where m."user" = $4 and m.status in ('pending', 'assigned') and m."to" = any($5::text[])
    and d.state in ('pending', 'assigned')
  order by d.message for update of d`,
}

/**
 * Ends all messages of a user to these numbers that no device has claimed, in the transaction that opts the numbers out. As if they
 * had never been accepted they cost nothing.
 */
export async function endWaiting({ db }: Store, user: string, phones: readonly string[]): Promise<void> {
  if (phones.length > 0) await giveAllBack(db, await fail(db, WAITING, REASONS.optedOut, [user, phones]))
}

const GIVEN_BACK: Source = {
  name: 'given back, opted out',
  sql: `select d.* from sms_dispatch d
  where d.device = $4 and d."user" = $5 and d.message = $6 and d.attempt = $7 and d.state = 'sending'
    and ${isOptedOut('d')}
  for update`,
}

/**
 * Ends a message that its device gives back unsent, if its recipient has been opted out since it was claimed: nobody else may send
 * it. True if it did. Whoever calls it holds the user's sends, or a word that comes in this moment would miss it.
 */
export async function endGivenBack(
  db: Db,
  device: Pick<Device, 'id' | 'user'>,
  { id, attempt }: Attempt,
): Promise<boolean> {
  const paid = await fail(db, GIVEN_BACK, REASONS.optedOut, [device.id, device.user, id, attempt])
  await giveAllBack(db, paid)
  return paid.length > 0
}

async function giveAllBack(db: Db, all: readonly Paid[]): Promise<void> {
  for (const { user, period, messages } of all) await giveBack({ db }, user, period, messages)
}
