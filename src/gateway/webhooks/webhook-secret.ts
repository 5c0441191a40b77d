import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { logQuery } from '../../engine/records/log-changes.ts'
import { executeStatement } from '../../platform/db/call-function.ts'
import { NOW } from '../../platform/db/queries.ts'
import { isOwnWebhook, type Owner, webhookRefusal } from './require-webhook-owner.ts'

const PREFIX = 'whsec_'

const RANDOM_BYTES = 32

/** Part of the answers to creating a webhook and to rotating its secret, and of no others. */
export const NEW_SECRET = z.object({
  secret: z.string().describe('The secret that signs deliveries: `whsec_…`. Shown only once.'),
})

/** A new secret as Standard Webhooks writes them: `whsec_` and the base64 of 32 random bytes. */
export const makeWebhookSecret = (): string => PREFIX + randomBytes(RANDOM_BYTES).toString('base64')

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
