import { sql } from 'kysely'
import { queries } from '../../platform/db/queries.ts'
import type { Store } from '../collections/catalog.ts'
import { deleteOldSystemRecords } from './system-records.ts'

const IS_LONG_OVER = sql<boolean>`expires_at <= now() - interval '1 hour'`

/** Deletes expired MFA and OTP records, challenges, sessions and invitations. PocketBase: __pbMFACleanup__ */
export async function cleanUpSignIns(store: Store): Promise<void> {
  for (const collection of store.catalog.all) {
    if (collection.type !== 'auth') continue
    await deleteOldSystemRecords(store, '_mfas', collection, collection.mfa.duration)
    await deleteOldSystemRecords(store, '_otps', collection, collection.otp.duration)
  }
  const { db } = store
  await queries(db).deleteFrom('auth_challenges').where('ends', '<=', sql<Date>`now()`).execute()
  await queries(db).deleteFrom('_provider_claims').where('ends', '<=', sql<Date>`now()`).execute()
  await queries(db)
    .deleteFrom('_unproven_links as u')
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('_externalAuths as a').select('a.id').whereRef('a.id', '=', 'u.link'))),
    )
    .execute()
  await queries(db).deleteFrom('auth_tries').where('ends', '<=', sql<Date>`now()`).execute()
  await queries(db)
    .deleteFrom('auth_sessions')
    .where('expires_at', '<=', sql<Date>`now()`)
    .where(({ or, eb }) => or([eb('ended_at', 'is', null), IS_LONG_OVER]))
    .execute()
  await queries(db).deleteFrom('auth_session_tokens').where(IS_LONG_OVER).execute()
  await queries(db)
    .deleteFrom('member_invitations')
    .where('expires', '<', sql<string>`pb_text(now() - interval '30 days')`)
    .execute()
}
