import { sql } from 'kysely'
import { logChanges } from '../../engine/records/log-changes.ts'
import type { Db } from '../../platform/db/open.ts'
import { matchAny, NOW, queries } from '../../platform/db/queries.ts'
import { failDeliveries, failPending } from './fail-deliveries.ts'

const disableSignedWebhooks = (db: Db, keys: readonly string[]) =>
  queries(db)
    .with('written', (query) =>
      query
        .updateTable('webhooks')
        .set({ enabled: false, api_key: '', updated: NOW })
        .where('api_key', '=', matchAny(keys))
        .where('api_key', '<>', sql.lit(''))
        .returningAll(),
    )
    .with('noted', logChanges('update', 'webhooks'))
    .selectFrom('written')
    .select(['id', 'user'])
    .execute()

const findCallbacks = (db: Db, keys: readonly string[]) =>
  queries(db)
    .selectFrom('webhook_dispatch')
    .select('delivery')
    .where(sql`target ->> 'api_key'`, '=', matchAny(keys))
    .execute()

/** Ends pending callbacks of deleted API keys as failed, and disables the webhooks that these keys sign. */
export async function endCallsOfKeys(
  db: Db,
  keys: readonly string[],
  reason: string,
): Promise<void> {
  for (const { id, user } of await disableSignedWebhooks(db, keys))
    await failPending(db, id, user, reason)
  const callbacks = (await findCallbacks(db, keys)).map(({ delivery }) => delivery)
  await failDeliveries(db, callbacks, reason)
}
