import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'
import { updateRecords } from '../base/message-status.ts'
import { PERSON_JOB } from './requests.ts'

/** Deletes files after a day (a trigger: their contents). Ends requests whose job died with its nodes. */
export async function cleanUpRequests(db: Db): Promise<void> {
  await updateRecords(db, 'person_requests', (update) =>
    update
      .set({ files: [], expires_at: '' })
      .where('expires_at', '<>', '')
      .where('expires_at', '<=', NOW),
  )
  await updateRecords(db, 'person_requests', (update) =>
    update
      .set({ state: 'failed', error: 'No run of the job has ended.', files: [], done_at: NOW })
      .where('state', 'in', ['waiting', 'running'])
      .where(sql<boolean>`not exists (select from _jobs j where j.kind = ${PERSON_JOB}
        and j.key = person_requests.id and j.dead_at is null)`),
  )
}

/** They may name the person. A running export of the account fails, that of another person restarts. */
export async function deleteExports(db: Db, user: string): Promise<void> {
  const emptied = await updateRecords(db, 'person_requests', (update) =>
    update
      .set({ files: [], expires_at: '' })
      .where('user', '=', user)
      .where('kind', '=', 'export')
      .where(sql<boolean>`files <> '{}'`),
  )
  await queries(db)
    .updateTable('_jobs')
    .set({ payload: 'null' })
    .where('kind', '=', PERSON_JOB)
    .where(
      'key',
      '=',
      sql<string>`any(array(
      select r.id from person_requests r where r.id = any(${emptied}::text[]) and r.hash <> ''))`,
    )
    .execute()
}
