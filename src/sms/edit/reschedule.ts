import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import { COMMON, date, expiresBeforeDue } from '../send/body.ts'
import { checkShape } from '../send/shape.ts'
import { BATCH, countBatch } from './batches.ts'
import { changeOf, MESSAGE_CHANGE } from './change.ts'
import { type Change, changeParams, changeSql, plannedChangeCtes } from './change-sql.ts'

/** The body of a request: from when, and until when. */
export const RESCHEDULE = z
  .strictObject({
    scheduled_at: date().describe('Not before this instant. One that is past means now.'),
    expires_at: MESSAGE_CHANGE.shape.expires_at,
    ttl: COMMON.ttl,
  })
  .meta({ id: 'Reschedule' })

/** What became of a batch of which the rest got another time. */
export type RescheduledBatch = Readonly<z.output<typeof RESCHEDULED_BATCH>>
export const RESCHEDULED_BATCH = BATCH.extend({
  rescheduled: z.int().min(0).describe('Messages that this request has changed.'),
}).meta({ id: 'RescheduledBatch' })

/** Rows per statement, as sweep and cancels wait for it. Unnamed: planned for the present numbers. */
const MAX_ROWS = 1_000

const OF_BATCH = `m.batch_id = $8 and m.batch_id <> ''`

const FAULT = `with ${plannedChangeCtes(OF_BATCH)} select 1 from wanted where unfit limit 1`

const SOME = changeSql(
  `${OF_BATCH} and d.message > $9 order by d.message limit ${MAX_ROWS} for update of d, m`,
  `select max(message), count(*) filter (where what <> ''), bool_or(unfit) from wanted`,
)

/** The body of a request. Throws 400 `invalid_request` that names the first wrong field. */
export const readReschedule = (raw: unknown, now: Date): Change => changeOf(checkShape(RESCHEDULE, raw), now)

/** Reschedules a batch's waiting messages. Repeatable. Throws 404, or 400 if one would end too early. */
export async function rescheduleBatch(
  store: Store,
  user: string,
  batchId: string,
  change: Change,
): Promise<RescheduledBatch> {
  const params = [...changeParams(user, change), batchId]
  const fault = await store.db.query(FAULT, params)
  if (fault.rows[0]) throw expiresBeforeDue()
  let rescheduled = 0
  for (let last = ''; ; ) {
    const { rows } = await store.db.query(SOME, [...params, last])
    const [max, changed, unfit] = rows[0] as [string | null, number, boolean]
    // changed by somebody else since the look
    if (unfit) throw expiresBeforeDue()
    if (max === null) break
    rescheduled += Number(changed)
    last = max
  }
  return { ...(await countBatch(store, user, batchId)), rescheduled }
}
