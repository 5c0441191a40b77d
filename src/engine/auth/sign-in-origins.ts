import { hash } from 'node:crypto'
import { limitTime } from '../../platform/tools/deadline.ts'
import type { Store } from '../collections/catalog.ts'
import type { AuthCollection } from '../collections/collection.ts'
import { formatNow } from '../fields/parse-date.ts'
import type { AuthRecord } from '../request/request.ts'
import { sendAuthAlertMail } from './auth-mails.ts'
import type { AuthServices, SignInOrigin } from './auth-services.ts'
import {
  addSystemRecord,
  deleteSystemRecord,
  listSystemRecords,
  setSystemRecordUpdated,
} from './system-records.ts'

const MAX_ORIGINS = 5
const MAX_AGENT_LENGTH = 200
const MAIL_MS = 15_000

/**
 * Stores the last five origins of sign-ins (IP address and browser); mails about a new one. PocketBase:
 * record_helpers.go, authAlert
 */
export async function recordSignInOrigin(
  store: Store,
  services: AuthServices,
  auth: AuthRecord,
  { ip, userAgent }: SignInOrigin,
): Promise<void> {
  if (!(auth.collection as AuthCollection).authAlert.enabled) return
  const agent =
    userAgent.length > MAX_AGENT_LENGTH ? `${userAgent.slice(0, MAX_AGENT_LENGTH)}...` : userAgent
  const fingerprint = hash('md5', ip + agent)
  const origins = await listSystemRecords(store, '_authOrigins', auth, ['id', 'fingerprint'])
  const known = origins.find((origin) => origin.fingerprint === fingerprint)
  if (known) return setSystemRecordUpdated(store, '_authOrigins', known.id)
  if (origins.length > 0 && auth.values.email !== '') {
    try {
      await limitTime(sendAuthAlertMail(services, auth, `${formatNow()} - ${ip} ${agent}`), MAIL_MS)
    } catch (err) {
      const { collection, id } = auth
      return services.log.warn(
        { err, collection: collection.name, id },
        'could not send a login alert',
      )
    }
  }
  for (const { id } of origins.slice(MAX_ORIGINS - 1))
    await deleteSystemRecord(store, '_authOrigins', id)
  await addSystemRecord(store, '_authOrigins', auth, { fingerprint }, 'do nothing')
}
