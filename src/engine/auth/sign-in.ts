import { hash } from 'node:crypto'
import { limitTime } from '../../platform/tools/deadline.ts'
import type { Store } from '../collections/catalog.ts'
import type { AuthCollection } from '../collections/collection.ts'
import { answerRecord } from '../records/answer-records.ts'
import type { ProviderClaims } from '../records/collection-extension.ts'
import { toRow } from '../records/record-row.ts'
import type { AuthRecord, RequestInfo } from '../request/request.ts'
import { sendAuthAlertMail } from './auth-mails.ts'
import { checkAuthRule } from './auth-rule.ts'
import type { AuthServices, SignInOrigin } from './auth-services.ts'
import { checkMfa, type Method, type MfaForm } from './check-mfa.ts'
import { findAuthRecord, requireEnabled } from './find-auth-record.ts'
import { findClaims, storeClaims, useClaims } from './oauth2/waiting-claims.ts'
import { startSession } from './sign-in-sessions.ts'
import { checkAddress } from './superuser-addresses.ts'
import {
  addSystemRecord,
  deleteSystemRecord,
  listSystemRecords,
  setSystemRecordUpdated,
} from './system-records.ts'

interface SignInRequest extends SignInOrigin {
  readonly request: RequestInfo
  readonly readMfaForm: () => Promise<MfaForm>
}

export interface SignInProof {
  /** How the user signed in; absent if a token is exchanged for a new one. */
  readonly method?: Method
  /** The `meta` of the answer, as JSON text. */
  readonly meta?: string
  /** The token to answer with. If absent, a new session starts. */
  readonly token?: string
  /** Claims of a provider, which take effect once the sign-in is complete. */
  readonly said?: ProviderClaims | undefined
  /** The proof that the new session carries, see `startSession`. */
  readonly provenAt?: string
}

/** A provider's claims, from this request or, by `mfaId`, from the first half of the sign-in. */
interface Said extends ProviderClaims {
  readonly mfaId: string
}

async function findSaid(
  store: Store,
  auth: AuthRecord,
  { request, readMfaForm }: SignInRequest,
  { method, said }: SignInProof,
): Promise<Said | undefined> {
  if (said) return { ...said, mfaId: '' }
  if (!method) return undefined
  const form = () => readMfaForm().catch(() => ({ mfaId: '' }))
  const mfaId = request.query.mfaId || (await form()).mfaId
  const waiting = mfaId && (await findClaims(store, auth, mfaId))
  return waiting ? { ...waiting, mfaId } : undefined
}

/** Lets the collection follow what a provider said, now that the sign-in is complete. */
async function followProvider(
  store: Store,
  { extensions, log }: AuthServices,
  auth: AuthRecord,
  { mfaId, ...said }: Said,
): Promise<AuthRecord> {
  const follow = extensions.get(auth.collection.id)?.onProviderSignIn
  if (!follow || (mfaId && !(await useClaims(store, mfaId)))) return auth
  await follow(store, extensions, { ...said, auth, log })
  return (await findAuthRecord(store, auth.collection as AuthCollection, auth.id)) ?? auth
}

/**
 * Answers a sign-in with JSON `{"record":…,"token":…}`. Throws 403, or 401 if a second method is required.
 * PocketBase: apis/record_helpers.go, recordAuthResponse
 */
export async function answerSignIn(
  store: Store,
  services: AuthServices,
  known: AuthRecord,
  signIn: SignInRequest,
  proof: SignInProof,
): Promise<string> {
  checkAddress(services, known, signIn.ip)
  const said = await findSaid(store, known, signIn, proof)
  const { readmits } = services.extensions.get(known.collection.id) ?? {}
  if (!(known.isDisabled && said && (await readmits?.(store, known, said)))) requireEnabled(known)
  await checkAuthRule(store, known, signIn.request)
  // a code of an authenticator app and a recovery code have used up the first half already
  let usedUp = said?.mfaId
  if (proof.method) {
    if (proof.method !== 'totp' && proof.method !== 'recovery')
      usedUp = await checkMfa(
        store,
        known,
        proof.method,
        signIn.request,
        signIn.readMfaForm,
        (mfaId) => (proof.said ? storeClaims(store, known, mfaId, proof.said) : Promise.resolve()),
      )
    await recordSignInOrigin(store, services, known, signIn)
  }
  const isComplete = said && (said.mfaId === '' || said.mfaId === usedUp)
  const auth = isComplete ? await followProvider(store, services, known, said) : known
  requireEnabled(auth)
  const { method, provenAt } = proof
  const token = proof.token ?? (await startSession(store.db, auth, signIn, method, provenAt))
  const asItself = { ...signIn.request, auth }
  const record = await answerRecord(
    store,
    auth.collection,
    toRow(auth.collection, auth.values),
    asItself,
  )
  const meta = proof.meta ? `"meta":${proof.meta},` : ''
  return `{${meta}"record":${record},"token":${JSON.stringify(token)}}`
}

const MAX_ORIGINS = 5
const MAX_AGENT_LENGTH = 200
const MAIL_MS = 15_000

/**
 * Stores the last five origins of sign-ins (IP address and browser); mails about a new one. PocketBase:
 * record_helpers.go, authAlert
 */
async function recordSignInOrigin(
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
      await limitTime(sendAuthAlertMail(services, auth, `${ip} ${agent}`), MAIL_MS)
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
