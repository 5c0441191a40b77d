import type { Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import type { Device } from '../devices/device.ts'
import { REASONS } from '../status/status.ts'
import { failUnsent } from './fail.ts'
import { isOptedOut } from './opt-out.ts'
import type { DevicesToWake } from './overdue.ts'
import type { MessageSource } from './reassign.ts'
import type { Attempt } from './renew.ts'

/** Rows a sweep takes at once; the rest is for the next tick. */
const MAX_ROWS = 1_000

const DUE: MessageSource = {
  name: 'opted out meanwhile',
  sql: `select d.* from sms_dispatch d
  join sms_messages m on m.id = d.message
  join contacts c on c."user" = d."user" and c.phone = m."to" and c.opted_out
  where d.state = 'pending' and d.due_at <= now()
  order by d.due_at limit ${MAX_ROWS} for update of d skip locked`,
}

/** Ends scheduled messages that are due, but whose recipient has been opted out since they were accepted. */
export async function endOptedOut(db: Db): Promise<DevicesToWake> {
  await failUnsent(db, DUE, REASONS.optedOut)
  return []
}

/** By the index on user and status: of what waits, only this user's is looked at. */
const WAITING: MessageSource = {
  name: 'said stop',
  sql: `select d.* from sms_messages m join sms_dispatch d on d.message = m.id
  where m."user" = $2 and m.status in ('pending', 'assigned') and m."to" = any($3::text[])
    and d.state in ('pending', 'assigned')
  order by d.message for update of d`,
}

/** Ends and refunds unclaimed messages to these numbers, in the transaction that opts them out. */
export async function endUnclaimed({ db }: Store, user: string, phones: readonly string[]): Promise<void> {
  if (phones.length > 0) await failUnsent(db, WAITING, REASONS.optedOut, [user, phones])
}

/** What was not sent gives its room on a line back. */
const UNCHARGE = `
with returned as (
  select d.message, d.line, d.charged, d."user" from sms_dispatch d
  where d.device = $1 and d."user" = $2 and d.message = $3 and d.attempt = $4 and d.state = 'sending'
    and d.charged <> '' and ${isOptedOut('d')} for update
)
select sms_line_refund(r.line, r.charged, m."to", r."user") from returned r join sms_messages m on m.id = r.message`

const GIVEN_BACK: MessageSource = {
  name: 'given back, opted out',
  sql: `select d.* from sms_dispatch d
  where d.device = $2 and d."user" = $3 and d.message = $4 and d.attempt = $5 and d.state = 'sending'
    and ${isOptedOut('d')}
  for update`,
}

/** Ends a returned message whose recipient has opted out (true). The caller locks the user's sends. */
export async function endReturned(
  db: Db,
  device: Pick<Device, 'id' | 'user'>,
  { id, attempt }: Attempt,
): Promise<boolean> {
  await db.query(UNCHARGE, [device.id, device.user, id, attempt], 'sms uncharge returned')
  return (await failUnsent(db, GIVEN_BACK, REASONS.optedOut, [device.id, device.user, id, attempt])) > 0
}
