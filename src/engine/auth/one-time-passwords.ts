import {
  badRequest,
  forbidden,
  GatewayError,
  RetryLater,
  tooManyTries,
} from '../../platform/api-errors.ts'
import { makeGuestHolder, toNetwork } from '../../platform/limits/limit-holder.ts'
import { makeRandomDigits, makeRandomId } from '../../platform/tools/random.ts'
import { E164 } from '../../portable/phone/e164.ts'
import { readTypedCode } from '../../portable/typed-code.ts'
import type { Store } from '../collections/catalog.ts'
import type { AuthCollection } from '../collections/collection.ts'
import { hashPassword, verifyPassword } from '../fields/bcrypt.ts'
import { makeObjectShape, text, type ValueOf } from '../fields/json-shapes.ts'
import { checkFields, checkLength, checkRequired } from '../fields/value-checks.ts'
import type { AuthRecord } from '../request/request.ts'
import { readMailSender, sendOtpMail } from './auth-mails.ts'
import { type AuthCall, type AuthServices, makeAuthAttempt } from './auth-services.ts'
import { changeAuthRecord } from './change-auth-record.ts'
import { findStartedSignIn, findStartingPerson, type Method } from './check-mfa.ts'
import { findAuthRecord, requireEnabled } from './find-auth-record.ts'
import { type EmailForm, findMailedRecord } from './mail-on-request.ts'
import { verifyDecoy } from './password-check.ts'
import { hasFactor, hasFactors, requireFactorCode } from './second-factor.ts'
import { countAttempt, limitSignInAttempts } from './sign-in-limits.ts'
import {
  addSystemRecord,
  deleteSystemRecord,
  findSystemRecord,
  listSystemRecords,
} from './system-records.ts'

/** A low bcrypt cost: a slow hash cannot protect a few digits. The limit of attempts protects them. */
const OTP_COST = 8
/** With more valid one-time passwords than this, a request sends none and returns the id of the latest. */
const MAX_LIVE = 9
const MAX_TRIES = 5
const TRIES_SECONDS = 180

/**
 * Throws 403 if a collection has neither one-time passwords nor a record with an authenticator app, whose
 * codes are entered in the same field. The answer is the same for every address.
 */
async function requireOtpEnabled({ store, collection }: AuthCall): Promise<void> {
  if (!collection.otp.enabled && !(await hasFactors(store.db, collection)))
    throw forbidden('The collection is not configured to allow OTP authentication.')
}

/**
 * Returns the id of a one-time password, which is sent in the background. A person with an authenticator app
 * gets no password: the app's code is entered instead. Does the same work for an unknown address, so that
 * neither answer nor timing reveals it. Throws 429. PocketBase: apis/record_auth_otp_request.go
 */
export async function requestOtp(call: AuthCall<EmailForm>): Promise<string> {
  const { store, collection, ip } = call
  await requireOtpEnabled(call)
  const auth = await findMailedRecord(call, true)
  const password = makeRandomDigits(collection.otp.length)
  const hash = await hashPassword(password, OTP_COST, makeGuestHolder(ip))
  const hasApp = auth !== null && (await hasFactor(store.db, auth))
  if (!auth || !(hasApp || collection.otp.enabled)) return makeRandomId()
  const known = await listSystemRecords(store, '_otps', auth, ['id'])
  const live = known.filter(({ ageSeconds }) => ageSeconds <= collection.otp.duration)
  if (live.length > MAX_LIVE) return live[0]!.id
  const sentTo = hasApp ? '' : findOtpNumber(auth) || String(auth.values.email ?? '')
  // store the password before it is sent, so that it works as soon as it arrives
  const id = await addSystemRecord(store, '_otps', auth, { password: hash, sentTo })
  if (!hasApp) void sendOtp(call, auth, id, password)
  return id
}

async function sendOtp(
  { store, services, ip, browser }: AuthCall,
  auth: AuthRecord,
  id: string,
  password: string,
) {
  try {
    if (findOtpNumber(auth)) await sendOtpText(services, auth, password, ip)
    else await sendOtpMail(services, auth, [id, password], browser)
  } catch (err) {
    const about = { collection: auth.collection.name, id: auth.id }
    // strangers cause refusals: a line without a stack for each
    if (err instanceof GatewayError || err instanceof RetryLater)
      services.log.warn({ ...about, reason: err.message }, 'a one-time password was not sent')
    else services.log.error({ ...about, err }, 'could not send a one-time password')
    await deleteSystemRecord(store, '_otps', id).catch(() => {}) // the password then expires
  }
}

export const OTP_FORM = makeObjectShape({ otpId: text, password: text })

const FIELDS = ['collectionRef', 'recordRef', 'password', 'sentTo'] as const

/** A record that proved itself, and how. */
export interface Proven {
  readonly auth: AuthRecord
  readonly method: Method
}

/** `mfaId`: as in the query or body of the request. */
type OtpCall = AuthCall<ValueOf<typeof OTP_FORM>> & { readonly readMfaId: () => Promise<string> }

/**
 * Uses up a one-time password and returns its record. A person with an authenticator app enters its code.
 * Marks the record as verified if it still has the address that got the password. Throws 429, and 400 for an
 * unknown, expired or wrong password. PocketBase: apis/record_auth_with_otp.go
 */
export async function authWithOtp(call: OtpCall): Promise<Proven> {
  const { store, services, collection, ip } = call
  await requireOtpEnabled(call)
  const form = await call.readForm()
  checkFields(form, {
    otpId: [checkRequired, checkLength(1, 255)],
    password: [checkRequired, checkLength(1, 71)],
  })
  const otp = await findSystemRecord(store, '_otps', form.otpId, FIELDS)
  const isOurs = otp?.collectionRef === collection.id && otp.ageSeconds <= collection.otp.duration
  const auth = isOurs
    ? await findAuthRecord(store, collection, otp.recordRef)
    : await findPersonWithFactor(call, form.otpId)
  // their own count of tries begins after the password: a stranger must not use it up
  if (auth && (await hasFactor(store.db, auth))) return authWithApp(call, auth, form)
  const account = auth?.id ?? form.otpId
  if (!(await countAttempt(store.db, `otp ${account} ${toNetwork(ip)}`, MAX_TRIES, TRIES_SECONDS)))
    throw tooManyTries(TRIES_SECONDS, 'Too many attempts, please try again later with a new OTP.')
  const sentTo = otp?.sentTo ?? ''
  // a password sent to a phone number is valid only while the record has this number
  const isCurrent = auth && (!sentTo.startsWith('+') || sentTo === findOtpNumber(auth))
  const hash = isCurrent && otp?.password
  return limitSignInAttempts(makeAuthAttempt(call, account), async () => {
    const holder = makeGuestHolder(ip)
    let isRight = false
    // as PocketBase, else as a person types it; an unknown one takes as long
    for (const typed of new Set([form.password, readTypedCode(form.password)]))
      isRight ||= hash
        ? await verifyPassword(typed, hash, holder)
        : await verifyDecoy(typed, OTP_COST, holder)
    // the delete succeeds only once, so two concurrent requests cannot both use the password
    if (!auth || !isRight || !(await deleteSystemRecord(store, '_otps', form.otpId)))
      throw badRequest('Invalid or expired OTP')
    requireEnabled(auth)
    return { auth: await confirmAddress(store, services, auth, sentTo), method: 'otp' }
  })
}

/** The person whose started sign-in `otpId` names, as a one-time password is neither sent nor needed. */
async function findPersonWithFactor({ store, collection, readMfaId }: OtpCall, otpId: string) {
  if ((await readMfaId()) !== otpId) return null
  const person = await findStartingPerson(store, collection, otpId).catch(() => null)
  return person && (await hasFactor(store.db, person)) ? person : null
}

/**
 * Uses up a code of an authenticator app, and the sign-in that the request names, which was begun by another
 * method, such as a password: codes cannot be guessed without it.
 */
async function authWithApp(
  call: OtpCall,
  auth: AuthRecord,
  { otpId, password }: ValueOf<typeof OTP_FORM>,
): Promise<Proven> {
  const { store, ip } = call
  const mfaId = await call.readMfaId()
  return limitSignInAttempts(makeAuthAttempt(call, auth.id), async () => {
    await verifyDecoy(password, OTP_COST, makeGuestHolder(ip))
    const isStarted = await findStartedSignIn(store, auth, mfaId).catch(() => undefined)
    if (!isStarted) throw badRequest('Invalid or expired OTP')
    const method = await requireFactorCode(store.db, auth, password)
    // each delete succeeds only once, so two concurrent requests cannot both sign in
    for (const [name, id] of [
      ...(otpId === mfaId ? [] : [['_otps', otpId] as const]),
      ['_mfas', mfaId],
    ] as const)
      if (!(await deleteSystemRecord(store, name, id))) throw badRequest('Invalid or expired OTP')
    return { auth, method }
  })
}

/**
 * Marks the record as verified if `sentTo` is still its email or phone number. In a collection without MFA,
 * also replaces the record's password by a random one.
 */
async function confirmAddress(
  store: Store,
  { extensions }: AuthServices,
  auth: AuthRecord,
  sentTo: string,
) {
  if (
    auth.values.verified ||
    sentTo === '' ||
    sentTo !== (auth.values.email || findOtpNumber(auth))
  )
    return auth
  const { mfa } = auth.collection as AuthCollection
  const change = { verified: true, withoutPassword: !mfa.enabled }
  return changeAuthRecord(store, extensions, auth, change, 'Failed to authenticate.')
}

/** The phone number to which a record's one-time passwords are texted; '' if they are mailed. */
function findOtpNumber(auth: AuthRecord): string {
  const { channel } = (auth.collection as AuthCollection).otp
  const number = channel ? String(auth.values[channel.field] ?? '') : ''
  return E164.test(number) ? number : ''
}

/** Texts a one-time password; the stored text shows dots instead. Throws if the text is refused. */
async function sendOtpText(
  services: AuthServices,
  auth: AuthRecord,
  password: string,
  ip: string,
): Promise<void> {
  const { otp } = auth.collection as AuthCollection
  const to = findOtpNumber(auth)
  const fill = (shown: string) =>
    otp
      .channel!.text.replaceAll('{APP_NAME}', () => readMailSender(services).appName)
      .replaceAll('{OTP}', () => shown)
  const shown = fill('•'.repeat(password.length))
  const text = { to, body: fill(password), shown, seconds: otp.duration, ip }
  await services.textCode(otp.channel!.account, text)
}
