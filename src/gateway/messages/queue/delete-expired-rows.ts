import { sql } from 'kysely'
import type { Store } from '../../../engine/collections/catalog.ts'
import { inSeconds, queries } from '../../../platform/db/queries.ts'

/** Deletes what devices no longer need: old handouts, pairing codes, streams, counts of automatic answers. */
export async function deleteExpiredRows({ db }: Store) {
  await queries(db).deleteFrom('device_handouts').where('at', '<', inSeconds(-86_400)).execute()
  await queries(db).deleteFrom('device_pairings').where('expires_at', '<', inSeconds(0)).execute()
  await queries(db).deleteFrom('device_streams').where('until', '<', inSeconds(0)).execute()
  // forget sent automatic answers that neither the daily limit nor a pause counts any more
  await queries(db)
    .deleteFrom('auto_answers_sent as s')
    .where('s.at', '<', inSeconds(-86_400))
    .where(
      sql<boolean>`not exists (
        select from auto_answers a where a.id = s.answer and s.at > now() - a.pause_hours * interval '1 hour')`,
    )
    .execute()
}
