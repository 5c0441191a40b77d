import type { Db } from '../../db/open.ts'
import { failMessages } from '../queue/fail.ts'
import { REASONS } from '../status/status.ts'

const BATCH = 5_000
const ANY = {
  name: 'restored',
  sql: `select * from sms_dispatch order by message limit ${BATCH} for update`,
}

/**
 * Ends all that is not finished in a database that is restored from a backup: what was waiting then may have
 * been sent since. Quotas keep what it has cost, as for any message whose outcome is unknown. Answers how
 * many messages were ended.
 */
export async function endUnfinished(db: Db): Promise<number> {
  let ended = 0
  for (;;) {
    const { rows } = await db.query('select exists (select from sms_dispatch)')
    if (rows[0]![0] !== true) return ended
    const paid = await failMessages(db, ANY, REASONS.restored)
    for (const { messages } of paid) ended += messages
  }
}
