import { sql } from 'kysely'
import type { Store } from '../../collections/catalog.ts'
import { queries } from '../../db/queries.ts'
import { REASONS } from '../status.ts'
import { failUnsent } from './fail-messages.ts'

/**
 * Ends and refunds unclaimed campaign texts of a group to a number, in the transaction that ends its consent.
 * Texts of a campaign to another group of the contact stay.
 */
export async function endGroupTexts(
  { db }: Pick<Store, 'db'>,
  user: string,
  number: string,
  group: string,
): Promise<void> {
  // found by the index on user and phone number
  const waiting = queries(db)
    .selectFrom('sms_messages as m')
    .innerJoin('sms_dispatch as d', 'd.message', 'm.id')
    .innerJoin('campaigns as c', (join) =>
      join.onRef('c.id', '=', 'm.sent_by').onRef('c.user', '=', 'm.user'),
    )
    .select('d.message')
    .where('m.user', '=', user)
    .where('m.to', '=', number)
    .where(sql<boolean>`m.status in ('pending', 'assigned') and d.state in ('pending', 'assigned')`)
    .where(
      sql<boolean>`c.groups @> array[${group}::text] and not exists (
        select from contacts k where k."user" = ${user} and k.phone = ${number}
          and k.groups && array_remove(c.groups, ${group}::text))`,
    )
    .orderBy('d.message')
    .forUpdate('d')
  await failUnsent(db, waiting, REASONS.optedOut)
}
