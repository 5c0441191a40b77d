import type { Store } from '../../collections/catalog.ts'
import { secondsAgo } from '../limits/age.ts'
import { deleteExpiredAttempts } from '../limits/attempt-limits.ts'
import { deleteExpiredSessions } from '../sessions/sessions.ts'
import { deleteSystemRecordsBefore } from '../system-records.ts'

/** Deletes expired MFA and OTP records. PocketBase: the jobs __pbMFACleanup__ and __pbOTPCleanup__ */
export async function cleanUpSignIns(store: Store): Promise<void> {
  for (const collection of store.catalog.all) {
    if (collection.type !== 'auth') continue
    await deleteSystemRecordsBefore(store, '_mfas', collection, secondsAgo(collection.mfa.duration))
    await deleteSystemRecordsBefore(store, '_otps', collection, secondsAgo(collection.otp.duration))
  }
  await deleteExpiredAttempts(store.db)
  await deleteExpiredSessions(store.db)
  await store.db.query(`delete from member_invitations where expires < pb_text(now() - interval '30 days')`)
}
