import type { Store } from '../../collections/catalog.ts'
import { checkFields, length, required } from '../../collections/checks/checks.ts'
import type { AuthCollection } from '../../collections/collection.ts'
import { object, text } from '../../collections/definition/decode.ts'
import { badRequest, forbidden, RetryLater } from '../../errors.ts'
import { hashPassword, verifyPassword } from '../../fields/values/bcrypt.ts'
import type { AuthRecord } from '../../request/request.ts'
import { randomId } from '../../tools/random.ts'
import { changeAuthRecord } from '../account/change.ts'
import { findForMail } from '../account/find-for-mail.ts'
import type { EmailForm } from '../account/forms.ts'
import { findAuthRecord } from '../auth-rows.ts'
import type { AuthServices } from '../auth-services.ts'
import { requireEnabled } from '../disabled.ts'
import { networkOf } from '../limits/addresses.ts'
import { isOlder } from '../limits/age.ts'
import { countAttempt } from '../limits/attempt-counts.ts'
import { limitSignInAttempts } from '../limits/attempt-limits.ts'
import { mailOtp } from '../mail/mails.ts'
import {
  addSystemRecord,
  deleteSystemRecord,
  findSystemRecord,
  listSystemRecords,
} from '../system-records.ts'
import { randomDigits, verifyDecoy } from '../tokens/secrets.ts'

/** Few digits are soon guessed: bcrypt need not be slow, tries are counted. */
const OTP_COST = 8
/** With so many that live, the last one is used again instead of making another. */
const MAX_LIVE = 9
const MAX_TRIES = 5
const TRIES_SECONDS = 180

function demandOtp({ otp }: AuthCollection): void {
  if (!otp.enabled) throw forbidden('The collection is not configured to allow OTP authentication.')
}

/**
 * Mails a one-time password and answers the id that belongs to it; for an unknown address an id of nothing,
 * so that the answer does not tell; nor does its time, all but the insert of a row. The mail is sent
 * afterwards; if that fails, the password is void. Throws 429 when too many were asked for.
 * PocketBase: apis/record_auth_otp_request.go
 */
export async function requestOtp(
  store: Store,
  services: AuthServices,
  collection: AuthCollection,
  ip: string,
  readForm: () => Promise<EmailForm>,
): Promise<string> {
  demandOtp(collection)
  const auth = await findForMail(store, services, collection, ip, readForm)
  if (!auth) return requestNothing(collection, networkOf(ip))
  const known = await listSystemRecords(store, '_otps', auth, ['id', 'created'])
  const live = known.filter((otp) => !isOlder(otp.created, collection.otp.duration))
  if (live.length > MAX_LIVE) return live[0]!.id
  const password = randomDigits(collection.otp.length)
  const hash = await hashPassword(password, OTP_COST, networkOf(ip))
  // where it goes: who knows the password has read that mail. Noted now, or one who is quick would prove
  // nothing by it
  const id = await addSystemRecord(store, '_otps', auth, { password: hash, sentTo: auth.values.email ?? '' })
  void deliver(store, services, auth, id, password)
  return id
}

/** The work of a password that nobody will get. */
async function requestNothing({ otp }: AuthCollection, holder: string): Promise<string> {
  await hashPassword(randomDigits(otp.length), OTP_COST, holder)
  return randomId()
}

async function deliver(
  store: Store,
  services: AuthServices,
  auth: AuthRecord,
  id: string,
  password: string,
): Promise<void> {
  try {
    await mailOtp(services, auth, id, password)
  } catch (error) {
    services.log.error(
      { err: error, collection: auth.collection.name, id: auth.id },
      'a one-time password was not sent',
    )
    await deleteSystemRecord(store, '_otps', id).catch(() => {}) // it then expires
  }
}

/** What a client submits to sign in with a one-time password. */
export const OTP_FORM = object<{ otpId: string; password: string }>({ otpId: text, password: text })

const FIELDS = ['collectionRef', 'recordRef', 'password', 'sentTo', 'created'] as const

/**
 * The record whose one-time password was submitted; the password is spent. If it was mailed to the record's
 * present address, the address counts as verified from now on. Throws 400 for one that is unknown, expired or
 * wrong, 429 after five tries in three minutes for a record from one address, and as any sign-in. PocketBase:
 * apis/record_auth_with_otp.go
 */
export async function authWithOtp(
  store: Store,
  services: AuthServices,
  collection: AuthCollection,
  ip: string,
  readForm: () => Promise<{ otpId: string; password: string }>,
): Promise<AuthRecord> {
  demandOtp(collection)
  const form = await readForm()
  checkFields(form, { otpId: [required, length(1, 255)], password: [required, length(1, 71)] })
  const otp = await findSystemRecord(store, '_otps', form.otpId, FIELDS)
  const isOurs = otp?.collectionRef === collection.id && !isOlder(otp.created, collection.otp.duration)
  const auth = isOurs ? await findAuthRecord(store, collection, otp.recordRef) : null
  const account = auth?.id ?? form.otpId
  if (!(await countAttempt(store.db, `otp ${account} ${networkOf(ip)}`, MAX_TRIES, TRIES_SECONDS)))
    throw new RetryLater(429, TRIES_SECONDS, 'Too many attempts, please try again later with a new OTP.')
  const tried = { db: store.db, config: services.config, collection: collection.id, account, ip }
  return limitSignInAttempts(tried, (isKnown) =>
    spend(store, services, auth, { plain: form.password, ip, isKnown }, { id: form.otpId, ...otp }),
  )
}

interface Otp {
  readonly id: string
  readonly password?: string
  readonly sentTo?: string
}

/** An unknown one takes as long as a wrong one. */
async function spend(
  store: Store,
  services: AuthServices,
  auth: AuthRecord | null,
  { plain, ip, isKnown }: { readonly plain: string; readonly ip: string; readonly isKnown: boolean },
  otp: Otp,
): Promise<AuthRecord> {
  const holder = networkOf(ip)
  const isRight =
    auth && otp.password
      ? await verifyPassword(plain, otp.password, holder, isKnown)
      : await verifyDecoy(plain, OTP_COST, holder, isKnown)
  // whoever deletes it has spent it: the same one sent twice at once counts once
  if (!auth || !isRight || !(await deleteSystemRecord(store, '_otps', otp.id)))
    throw badRequest('Invalid or expired OTP')
  requireEnabled(auth)
  return confirmAddress(store, services, auth, otp.sentTo ?? '')
}

/**
 * A password that somebody may have set before the owner of the address came along is replaced by one that
 * nobody knows, and what they made to come in by goes with it, unless a second method guards the account
 * anyway.
 */
async function confirmAddress(
  store: Store,
  { extensions }: AuthServices,
  auth: AuthRecord,
  sentTo: string,
): Promise<AuthRecord> {
  if (auth.values.verified || sentTo === '' || sentTo !== auth.values.email) return auth
  const { mfa } = auth.collection as AuthCollection
  return changeAuthRecord(
    store,
    extensions,
    auth,
    { verified: true, withoutPassword: !mfa.enabled },
    'Failed to authenticate.',
  )
}
