import { sql } from 'kysely'
import type { Store } from '../../../engine/collections/catalog.ts'
import { LOCKS } from '../../../platform/db/advisory-locks.ts'
import type { Db } from '../../../platform/db/open.ts'
import { matchAny, queries, tryAcquireLock } from '../../../platform/db/queries.ts'

/** Queue rows per check, which takes 20 ms. */
const MAX_CHECKED = 5_000

const deleteOrphans = (db: Db, messages: readonly string[]) =>
  queries(db)
    .deleteFrom('sms_dispatch as d')
    .where('d.message', '=', matchAny(messages))
    .where(sql<boolean>`not coalesce((
      select sms_may_become(m.status, 'assigned') from sms_messages m where m.id = d.message), false)`)
    .execute()

/** Takes messages from devices that another user owns now. A sweep finds no device `-` and reassigns them. */
const unassignFromStrangers = (db: Db, messages: readonly string[]) =>
  queries(db)
    .updateTable('sms_dispatch as d')
    .from('devices as v')
    .set({ device: '-' })
    .where('d.message', '=', matchAny(messages))
    .whereRef('v.id', '=', 'd.device')
    .whereRef('v.user', '<>', 'd.user')
    .where('d.state', '<>', 'sending')
    .execute()

/** Checks queue rows after the id `after`, on one node at a time. Returns the last id, or '' at the end. */
export function checkQueue({ db }: Store, after = ''): Promise<string> {
  return db.transaction(async (tx) => {
    if (!(await tryAcquireLock(tx, LOCKS.queueCheck))) return after
    const rows = await queries(tx)
      .selectFrom('sms_dispatch')
      .select('message')
      .where('message', '>', after)
      .orderBy('message')
      .limit(sql.lit(MAX_CHECKED))
      .execute()
    const messages = rows.map(({ message }) => message)
    await deleteOrphans(tx, messages)
    await unassignFromStrangers(tx, messages)
    return messages.length < MAX_CHECKED ? '' : messages.at(-1)!
  })
}
