import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { updateRecords } from '../base/message-status.ts'
import { PERSON_JOB } from './requests.ts'

/** Where the job of a request continues; undefined at its start. */
export async function loadJobProgress<T extends object>(
  db: Db,
  request: string,
): Promise<T | undefined> {
  const job = await queries(db)
    .selectFrom('_jobs')
    .select('payload')
    .where('kind', '=', PERSON_JOB)
    .where('key', '=', request)
    .executeTakeFirst()
  return (job && JSON.parse(job.payload)) ?? undefined
}

/**
 * Stores where the job of a request continues, in the transaction of the work, and how many percent of it
 * are done. Subscribers get each new percentage once.
 */
export async function saveProgress(
  db: Db,
  request: string,
  at: object,
  share: number,
): Promise<void> {
  await queries(db)
    .updateTable('_jobs')
    .set({ payload: JSON.stringify(at) })
    .where('kind', '=', PERSON_JOB)
    .where('key', '=', request)
    .execute()
  const progress = Math.min(99, Math.floor(share * 100))
  await updateRecords(db, 'person_requests', (update) =>
    update.set({ progress }).where('id', '=', request).where('progress', '<', progress),
  )
}
