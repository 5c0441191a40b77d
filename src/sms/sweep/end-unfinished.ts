import type { Db } from '../../db/open.ts'
import { failMessages } from '../queue/fail.ts'
import { REASONS } from '../status/status.ts'

const BATCH = 5_000
const ANY = {
  name: 'restored',
  sql: `select * from sms_dispatch order by message limit ${BATCH} for update`,
}

/** Their messages that are not stored yet may have been sent since, too. */
const END_CAMPAIGNS = `
update campaigns set status = 'failed', error = $1, settled = true, audience = '[]', updated = pb_text(now())
where status in ('scheduled', 'sending', 'paused')`

/** Ends unfinished messages of a restored backup, as they may have been sent since. */
export async function endUnfinished(db: Db): Promise<number> {
  await db.query(END_CAMPAIGNS, [REASONS.restored])
  let ended = 0
  for (;;) {
    const { rows } = await db.query('select exists (select from sms_dispatch)')
    if (rows[0]![0] !== true) return ended
    const paid = await failMessages(db, ANY, REASONS.restored)
    for (const { messages } of paid) ended += messages
  }
}
