import { sql } from 'kysely'
import type { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { logQuery } from '../../engine/records/log-changes.ts'
import { executeStatement } from '../../platform/db/call-function.ts'
import { NOW } from '../../platform/db/queries.ts'
import { makeWebhookSecret, type NEW_SECRET } from './make-webhook-secret.ts'
import { isOwnWebhook, type Owner, webhookRefusal } from './require-webhook-owner.ts'

/** Replaces a webhook's secret and returns the new one. The old one also signs for 24 hours. Throws 404. */
export async function rotateSecret({ db }: Store, owner: Owner, webhook: string) {
  const secret = makeWebhookSecret()
  const [rotated] = await executeStatement(
    db,
    sql`with written as (
      update webhooks set previous_secret = secret, secret = ${secret}, updated = ${NOW}
      where id = ${webhook} and ${isOwnWebhook(owner)} returning *
    ), kept as (
      insert into webhook_rotations (webhook, until) select id, now() + interval '24 hours' from written
      on conflict (webhook) do update set until = excluded.until
    ), noted as ${logQuery('update', 'webhooks')}
    select id from written`,
  )
  if (!rotated) throw webhookRefusal('webhook_not_found')
  return { secret } satisfies z.output<typeof NEW_SECRET>
}
