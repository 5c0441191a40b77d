import type { Store } from '../../collections/catalog.ts'
import type { Extensions } from '../../records/extension.ts'
import type { AuthRecord } from '../../request/request.ts'
import { changeAuthRecord } from '../account/change.ts'
import type { Origin } from '../sign-in/origins.ts'
import { startSession } from './sessions.ts'

/** Ends all tokens of a record and returns one of a new session. Throws 400 after a concurrent change. */
export async function endOtherSessions(
  store: Store,
  extensions: Extensions,
  auth: AuthRecord,
  origin: Origin,
): Promise<{ auth: AuthRecord; token: string }> {
  const changed = await changeAuthRecord(store, extensions, auth, { endsTokens: true }, 'Failed to sign out.')
  return { auth: changed, token: await startSession(store.db, changed, origin) }
}
