import { sql } from 'kysely'
import type { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { noteChanges } from '../../engine/records/log-changes.ts'
import { NOW, queries } from '../../platform/db/queries.ts'
import { type NEW_SECRET, newSecret } from './new-secret.ts'
import { isOwn, type Owner, webhookRefusal } from './owner.ts'

/** How long the previous secret stays valid after a rotation. */
const ROTATION = sql<Date>`now() + interval '24 hours'`

/** Replaces a webhook's secret and returns the new one. The old one also signs for 24 hours. Throws 404. */
export async function rotateSecret({ db }: Store, owner: Owner, webhook: string) {
  const secret = newSecret()
  const rotated = await queries(db)
    .with('written', (query) =>
      query
        .updateTable('webhooks')
        .set(({ ref }) => ({ previous_secret: ref('secret'), secret, updated: NOW }))
        .where('id', '=', webhook)
        .where(isOwn(owner))
        .returningAll(),
    )
    .with('kept', (query) =>
      query
        .insertInto('webhook_rotations')
        .columns(['webhook', 'until'])
        .expression((from) => from.selectFrom('written').select(['id', ROTATION.as('until')]))
        .onConflict((found) =>
          found.column('webhook').doUpdateSet(({ ref }) => ({ until: ref('excluded.until') })),
        ),
    )
    .with('noted', noteChanges('update', 'webhooks'))
    .selectFrom('written')
    .select('id')
    .executeTakeFirst()
  if (!rotated) throw webhookRefusal('webhook_not_found')
  return { secret } satisfies z.output<typeof NEW_SECRET>
}
