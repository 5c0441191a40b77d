import { sql } from 'kysely'
import type { Db } from '../../platform/db/open.ts'
import { NOW, queries } from '../../platform/db/queries.ts'
import { updateRecords } from '../base/message-status.ts'
import { PERSON_JOB } from './requests.ts'

/**
 * Deletes the files of exports that were kept for a day: a trigger deletes the contents. Ends requests whose
 * job is dead, because each of its nodes died.
 */
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

/**
 * Deletes the files of all exports of an account, which may name the person. Of those that run, one of the
 * whole account fails, and one of another person restarts.
 */
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
