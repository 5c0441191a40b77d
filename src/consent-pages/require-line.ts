import { sql } from 'kysely'
import type { Store } from '../collections/catalog.ts'
import { queries } from '../db/queries.ts'
import { formatDate } from '../fields/date.ts'
import { readUsage } from '../sms/quota.ts'
import type { AcceptConfig } from '../sms/send/accept.ts'
import { gatewayRefusal } from '../sms/send/refusals.ts'

/**
 * Throws 402 or 503 if the account could send no text now, as a send does. A page answers so for numbers that
 * get no text, too: else a visitor of an account without a line learns who has joined.
 */
export async function requireLine(store: Store, config: AcceptConfig, user: string): Promise<void> {
  const { remaining } = await readUsage(store, user, config, new Date())
  if (remaining === 0) throw gatewayRefusal('quota_exceeded')
  const since = formatDate(new Date(Date.now() - config.deviceOnlineSeconds * 1000))
  const { hasLine } = await queries(store.db)
    .selectNoFrom(
      sql<boolean>`exists (select from sms_ranked_lines(${user}, ${since}) l where l.rank = 0)`.as('hasLine'),
    )
    .executeTakeFirstOrThrow()
  if (!hasLine) throw gatewayRefusal('no_devices')
}
