import { sql } from 'kysely'
import type { Db } from '../db/open.ts'
import { NOW } from '../db/queries.ts'
import { updateRecords } from '../sms/status.ts'
import { PERSON_JOB } from './requests.ts'

/**
 * Deletes the files of exports that were kept for a day: a trigger deletes the contents. Ends requests whose
 * job is dead, because each of its nodes died.
 */
export async function cleanUpRequests(db: Db): Promise<void> {
  await updateRecords(db, 'person_requests', (update) =>
    update.set({ files: [], expires_at: '' }).where('expires_at', '<>', '').where('expires_at', '<=', NOW),
  )
  await updateRecords(db, 'person_requests', (update) =>
    update
      .set({ state: 'failed', error: 'No run of the job has ended.', files: [], done_at: NOW })
      .where('state', 'in', ['waiting', 'running'])
      .where(sql<boolean>`not exists (select from _jobs j where j.kind = ${PERSON_JOB}
        and j.key = person_requests.id and j.dead_at is null)`),
  )
}

/** Deletes the files of exports of the whole account, which contain the person. An export that runs fails. */
export const deleteAccountExports = (db: Db, user: string): Promise<unknown> =>
  updateRecords(db, 'person_requests', (update) =>
    update
      .set({ files: [], expires_at: '' })
      .where('user', '=', user)
      .where('kind', '=', 'export')
      .where('hash', '=', '')
      .where(sql<boolean>`files <> '{}'`),
  )
