import type { Store } from '../../collections/catalog.ts'
import { LOCKS } from '../../db/advisory-locks.ts'
import type { Db } from '../../db/open.ts'
import { textsOf } from '../../db/statement.ts'
import { failMessages } from '../queue/fail.ts'
import { endOptedOut } from '../queue/opt-out.ts'
import {
  type DevicesToWake,
  endExpired,
  endLineless,
  endOrphaned,
  failExpiredLeases,
  reassignUnclaimed,
  retryExpiredLeases,
  wakeUnclaimed,
} from '../queue/overdue.ts'
import { releaseDue, returnStale } from '../queue/release.ts'
import { idMayBecome, REASONS } from '../status/status.ts'
import { wakeDevices } from '../wake/wake.ts'

/** Steps of a sweep, in this order, so that a finished message wakes no device. */
const SWEEPS: readonly ((db: Db, onlineSeconds: number, stickyDays: number) => Promise<DevicesToWake>)[] = [
  failExpiredLeases,
  endExpired,
  endOrphaned,
  retryExpiredLeases,
  endOptedOut,
  returnStale,
  endLineless,
  releaseDue,
  reassignUnclaimed,
  wakeUnclaimed,
]
const JUDGING: ReadonlySet<unknown> = new Set([failExpiredLeases, retryExpiredLeases, reassignUnclaimed])

/** One sweep of overdue work. False if another node sweeps. `silenceCounts`: false after our outage. */
export async function sweep(store: Store, deviceOnlineSeconds: number, silenceCounts = true, stickyDays = 0) {
  const steps = silenceCounts ? SWEEPS : SWEEPS.filter((step) => !JUDGING.has(step))
  const devices = new Set<string>()
  const isOurs = await store.db.transaction(async (db) => {
    const { rows } = await db.query('select pg_try_advisory_xact_lock($1)', [LOCKS.sweep])
    if (!rows[0]![0]) return false
    for (const step of steps)
      for (const device of await step(db, deviceOnlineSeconds, stickyDays)) devices.add(device)
    return true
  })
  wakeDevices(store.db, [...devices])
  return isOurs
}

export async function deleteExpiredRows({ db }: Store): Promise<void> {
  await db.query(`delete from device_handouts where at < now() - interval '1 day'`)
  await db.query('delete from device_pairings where expires_at < now()')
  await db.query('delete from device_streams where until < now()')
  // rows that no limit or pause of an automatic answer needs any more
  await db.query(`delete from auto_answers_sent s where s.at < now() - interval '24 hours' and not exists (
    select from auto_answers a where a.id = s.answer and s.at > now() - a.pause_hours * interval '1 hour')`)
}

/** Queue rows per check, which takes 20 ms. */
const MAX_CHECKED = 5_000

const NEXT = `select message from sms_dispatch where message > $1 order by message limit ${MAX_CHECKED}`
/** Deletes rows of messages that were deleted, or ended by a superuser. */
const DROP = `
delete from sms_dispatch d where d.message = any($1::text[]) and not ${idMayBecome('d.message', 'assigned')}`
/** Takes messages from devices that now belong to another user: no device has the id `-`, so they move on. */
const GIVEN_AWAY = `
update sms_dispatch d set device = '-' from devices v
where d.message = any($1::text[]) and v.id = d.device and v."user" <> d."user" and d.state <> 'sending'`

/** Checks the queue's rows after `after`, on one node at a time. Returns where to continue; '' at the end. */
export function checkQueue({ db }: Store, after = ''): Promise<string> {
  return db.transaction(async (tx) => {
    const { rows: lock } = await tx.query('select pg_try_advisory_xact_lock($1)', [LOCKS.queueCheck])
    if (!lock[0]![0]) return after
    const messages = textsOf(await tx.query(NEXT, [after], 'sms check queue'))
    await tx.query(DROP, [messages], 'sms drop orphans')
    await tx.query(GIVEN_AWAY, [messages], 'sms given away')
    return messages.length < MAX_CHECKED ? '' : messages.at(-1)!
  })
}

const BATCH = 5_000
const ANY = {
  name: 'restored',
  sql: `select * from sms_dispatch order by message limit ${BATCH} for update`,
}

/**
 * Fails unfinished campaigns of a restored backup: messages not stored in it may have been sent since. Pauses
 * those that repeat.
 */
const END_CAMPAIGNS = `
update campaigns set status = case when coalesce(repeat::text, 'null') = 'null' then 'failed' else 'paused' end, error = $1, settled = true, audience = '[]', updated = pb_text(now())
where status in ('scheduled', 'repeating', 'sending', 'paused')`

/** Ends unfinished messages of a restored backup, as they may have been sent since. */
export async function endUnfinished(db: Db): Promise<number> {
  await db.query(END_CAMPAIGNS, [REASONS.restored])
  let ended = 0
  for (;;) {
    const { rows } = await db.query('select exists (select from sms_dispatch)')
    if (rows[0]![0] !== true) return ended
    const paid = await failMessages(db, ANY, REASONS.restored)
    for (const [, , messages] of paid) ended += Number(messages)
  }
}
