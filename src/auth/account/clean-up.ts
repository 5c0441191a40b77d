import type { Store } from '../../collections/catalog.ts'
import { deleteExpiredAttempts } from '../limits/attempt-limits.ts'
import { deleteExpiredSessions } from '../sessions/sessions.ts'
import { deleteOldSystemRecords } from '../system-records.ts'

/** Deletes expired MFA and OTP records. PocketBase: the jobs __pbMFACleanup__ and __pbOTPCleanup__ */
export async function cleanUpSignIns(store: Store): Promise<void> {
  for (const collection of store.catalog.all) {
    if (collection.type !== 'auth') continue
    await deleteOldSystemRecords(store, '_mfas', collection, collection.mfa.duration)
    await deleteOldSystemRecords(store, '_otps', collection, collection.otp.duration)
  }
  await deleteExpiredAttempts(store.db)
  await deleteExpiredSessions(store.db)
  await store.db.query(`delete from member_invitations where expires < pb_text(now() - interval '30 days')`)
}
