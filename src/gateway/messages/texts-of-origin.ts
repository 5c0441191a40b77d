import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { deleteRecords } from '../../engine/records/cascade.ts'
import type { Extensions } from '../../engine/records/collection-extension.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries, writeTimeInSeconds, writeUnindexed } from '../../platform/db/queries.ts'
import type { SendOrigin } from './send/send-options.ts'

// Texts by what their API keeps of them in sms_origins.

/** Texts of an API whose id there begins with `key`, of the last seconds. */
interface OriginChoice {
  readonly user: string
  readonly api: SendOrigin['api']
  readonly key: string
  readonly seconds: number
  readonly limit: number
}

/** Locks texts of an API, and reads what it keeps of them, the newest first. */
export const lockTextsOfOrigin = (db: Db, { user, api, key, seconds, limit }: OriginChoice) =>
  queries(db)
    .selectFrom('sms_origins as o')
    .innerJoin('sms_messages as m', 'm.id', 'o.ref')
    .select(['m.id', 'm.body', 'm.status', 'm.scheduled_at', 'o.data'])
    .where('o.user', '=', user)
    .where('o.api', '=', api)
    .where('o.id', '>=', key)
    .where('o.id', '<', `${key}~`)
    .where(sql<boolean>`m.created > pb_text(${writeTimeInSeconds(-seconds)})`)
    .orderBy('m.created', 'desc')
    .orderBy('m.id')
    .limit(limit)
    .forUpdate('m')
    .execute()

/** Changes what an API keeps of a text. */
export const changeOrigin = (db: Db, message: string, data: object) =>
  queries(db)
    .updateTable('sms_origins')
    .set({ data: JSON.stringify(data) })
    .where('ref', '=', message)
    .execute()

/** How many replies of an API a device has sent to a number in the last seconds. */
export async function countReplies(
  { db }: Store,
  user: string,
  to: string,
  device: string,
  seconds: number,
): Promise<number> {
  const { replies } = await queries(db)
    .selectFrom('sms_messages as m')
    .innerJoin('sms_origins as o', 'o.ref', 'm.id')
    .select(({ fn }) => fn.countAll<number>().as('replies'))
    .where(sql<boolean>`(o.data ->> 'reply')::boolean`)
    .where('m.user', '=', user)
    .where('m.to', '=', to)
    .where(writeUnindexed('m.device'), '=', device)
    .where(sql<boolean>`m.created || '' > pb_text(${writeTimeInSeconds(-seconds)})`)
    .executeTakeFirstOrThrow()
  return replies
}

/** Deletes texts, as records of `sms_messages`. */
export const deleteTexts = (store: Store, extensions: Extensions, ids: readonly string[]) =>
  deleteRecords(store, extensions, store.catalog.find('sms_messages')!, ids)
