import type { Store } from '../../collections/catalog.ts'
import { checkFields, email, length, required } from '../../collections/checks/checks.ts'
import type { AuthCollection } from '../../collections/collection.ts'
import type { AuthRecord } from '../../request/request.ts'
import { findByEmail } from '../auth-rows.ts'
import type { AuthServices } from '../auth-services.ts'
import { limitMails } from '../limits/attempt-limits.ts'
import type { EmailForm } from './forms.ts'

/** The record of a typed address; null for an unknown one or a disabled user. Throws 400, 429. */
export async function findForMail(
  store: Store,
  { config }: AuthServices,
  collection: AuthCollection,
  ip: string,
  readForm: () => Promise<EmailForm>,
): Promise<AuthRecord | null> {
  const form = await readForm()
  checkFields(form, { email: [required, length(1, 255), email] })
  await limitMails({ db: store.db, config, collection: collection.id, account: form.email, ip })
  const auth = await findByEmail(store, collection, form.email)
  return auth && !auth.isDisabled ? auth : null
}
