import type { Db } from '../db/open.ts'

/** How far deliveries are behind. */
export interface WebhookLag {
  /** Deliveries that are not over: to be tried now, or later. */
  readonly pending: number
  /** How long the one that should have been tried first waits for its attempt. 0 when none does. */
  readonly oldestSeconds: number
}

const LAG = `
select count(*), coalesce(greatest(0, extract(epoch from now() - min(next_attempt_at)::timestamptz)), 0)::float8
from webhook_deliveries where status = 'pending' and next_attempt_at <> ''`

/** One look at what waits, by an index of just that. */
export async function webhookLag({ db }: { readonly db: Db }): Promise<WebhookLag> {
  const { rows } = await db.query(LAG, [], 'webhook lag')
  const [pending, oldestSeconds] = rows[0]!.map(Number) as [number, number]
  return { pending, oldestSeconds }
}
