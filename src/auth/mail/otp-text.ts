import type { AuthCollection, Store } from '../../collections/catalog.ts'
import { E164 } from '../../portable/phone.ts'
import type { AuthRecord } from '../../request/request.ts'
import { findByIdentity } from '../auth-rows.ts'
import type { AuthServices } from '../auth-services.ts'
import { takeText } from '../limits/attempt-limits.ts'
import { namesOf } from './mails.ts'

const channelOf = (auth: AuthRecord) => (auth.collection as AuthCollection).otp.channel

/** The number that one-time passwords of a record are texted to; '' if they are mailed. */
export function numberOf(auth: AuthRecord): string {
  const channel = channelOf(auth)
  const number = channel ? String(auth.values[channel.field] ?? '') : ''
  return E164.test(number) ? number : ''
}

/** Whether a typed address is a number and the collection texts one-time passwords. */
export const isNumber = ({ otp }: AuthCollection, typed: string): boolean =>
  otp.channel !== undefined && E164.test(typed)

/** The record with this unique number; null if it has an email, whose owner may be another person. */
export async function findByNumber(store: Store, collection: AuthCollection, number: string) {
  const auth = await findByIdentity(store, collection, collection.otp.channel!.field, number)
  return auth?.values.email === '' ? auth : null
}

/**
 * Texts a one-time password, which only the phone gets. Throws if there are too many or the send is refused.
 */
export async function textOtp(
  store: Store,
  services: AuthServices,
  auth: AuthRecord,
  password: string,
): Promise<void> {
  const { otp } = auth.collection as AuthCollection
  const to = numberOf(auth)
  if ((await takeText(store.db, 'otp', to)) > 0)
    throw new Error('Too many one-time passwords were texted to this number.')
  const fill = (shown: string) =>
    otp.channel!.text.replaceAll('{APP_NAME}', namesOf(services).appName).replaceAll('{OTP}', shown)
  const text = { to, body: fill(password), shown: fill('•'.repeat(password.length)), seconds: otp.duration }
  await services.textCode(otp.channel!.account, text)
}
