import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'

export interface NumberSender {
  readonly device: string
  /** The line (SIM) with the number if the device has several lines; '' if it has one. */
  readonly line: string
}

/** Devices with this number or a line that has it. `line`: that line, if the device has other ones. */
const findSenders = (db: Db, user: string, number: string) =>
  queries(db)
    .selectFrom('devices as d')
    .leftJoin('lines as l', (join) =>
      join
        .onRef('l.device', '=', 'd.id')
        .on('l.number', '=', number)
        .on('l.enabled', '=', true)
        .on('l.present', '=', true),
    )
    .distinctOn('d.id')
    .select(['d.id as device', ({ eb }) => eb('d.phone', '=', number).as('isOwn')])
    .select(
      sql<string>`case when exists (
        select from lines o where o.device = d.id and o.id <> l.id) then l.id else '' end`.as(
        'line',
      ),
    )
    .where('d.user', '=', user)
    .where('d.enabled', '=', true)
    .where(({ or, eb }) => or([eb('d.phone', '=', number), eb('l.id', 'is not', null)]))
    .orderBy('d.id')
    .orderBy('l.slot')
    .execute()

/** Enabled devices with this number, else those with a line (SIM) that has it. Ordered by id. */
export async function listNumberSenders(
  { db }: Store,
  user: string,
  number: string,
): Promise<NumberSender[]> {
  if (number === '') return []
  const found = await findSenders(db, user, number)
  const own = found.filter(({ isOwn }) => isOwn)
  return own.length > 0 ? own : found
}
