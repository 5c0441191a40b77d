import { getTokenPayload, type RecordAuthResponse, type RecordModel } from 'pocketbase'
import { findPersonalClient } from './client.ts'

export const isSuperuser = (record: RecordModel | null) => record?.collectionName === '_superusers'

const readExpiryMs = (token: string) => (getTokenPayload(token).exp ?? 0) * 1000

/**
 * The session with which a member acts for an account, or a superuser sees one: until the person's own token
 * expires. The audit log has each session of a superuser.
 */
export function readActing(account: string): Promise<RecordAuthResponse> {
  const { authStore } = findPersonalClient()
  if (!isSuperuser(authStore.record))
    return findPersonalClient().send('/api/account/act-for', { method: 'POST', body: { account } })
  const duration = Math.floor((readExpiryMs(authStore.token) - Date.now()) / 1000)
  const path = `/api/collections/users/impersonate/${account}`
  return findPersonalClient().send(path, { method: 'POST', body: { duration } })
}

/** The time before its end at which a superuser's session in an account is renewed. */
const SOON_MS = 10 * 60_000

/** Whether a session of `readActing` is renewed now. The audit log has one entry for a superuser's visit. */
export const mustRenew = (token: string): boolean =>
  !isSuperuser(findPersonalClient().authStore.record) || readExpiryMs(token) < Date.now() + SOON_MS
