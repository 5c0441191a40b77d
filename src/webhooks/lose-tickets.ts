import type { Db } from '../db/open.ts'

/**
 * Has every delivery that is not over get a new ticket at once, whatever ticket it had: for a database whose
 * queue is not the one that gave them. No server may be at work on it.
 */
export async function loseTickets(db: Db): Promise<void> {
  await db.query('update webhook_dispatch set handed_at = null where handed_at is not null')
}
