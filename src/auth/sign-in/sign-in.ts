import type { AuthCollection, Store } from '../../collections/catalog.ts'
import { forbidden } from '../../errors.ts'
import { answerRecord } from '../../records/expand.ts'
import { toRow } from '../../records/record-sql.ts'
import { isRuleFault } from '../../records/render.ts'
import type { AuthRecord, RequestInfo } from '../../request/request.ts'
import { requireEnabled } from '../auth-rows.ts'
import type { AuthServices } from '../auth-services.ts'
import { isListed } from '../limits/addresses.ts'
import { startSession } from '../sessions/sessions.ts'
import { signToken } from '../tokens/tokens.ts'
import { checkMfa, type Method, type MfaForm, satisfies } from './mfa.ts'
import { type Origin, recordOrigin } from './origins.ts'

export interface SignInRequest extends Origin {
  readonly request: RequestInfo
  readonly readMfaForm: () => Promise<MfaForm>
}

export type Proof =
  | {
      readonly method: Method /** The `meta` of the answer, as JSON text. */
      readonly meta?: string
      /** Whether the answer's token will not be used, so that no session is stored. */
      readonly isOnce?: boolean
    }
  | { readonly token: string }

/**
 * Answers a sign-in with JSON `{"record":…,"token":…}`. Throws 403, or 401 if a second method is required.
 * PocketBase: apis/record_helpers.go, recordAuthResponse
 */
export async function answerSignIn(
  store: Store,
  services: AuthServices,
  auth: AuthRecord,
  signIn: SignInRequest,
  proof: Proof,
): Promise<string> {
  checkAddress(services, auth, signIn.ip)
  requireEnabled(auth)
  await checkAuthRule(store, auth, signIn.request)
  if ('method' in proof) {
    await checkMfa(store, auth, proof.method, signIn.request, signIn.readMfaForm)
    await recordOrigin(store, services, auth, signIn)
  }
  const newToken = () =>
    'isOnce' in proof && proof.isOnce ? signToken(auth, 'auth') : startSession(store.db, auth, signIn)
  const token = 'token' in proof ? proof.token : await newToken()
  const asItself = { ...signIn.request, auth }
  const record = await answerRecord(store, auth.collection, toRow(auth.collection, auth.values), asItself)
  const meta = 'meta' in proof && proof.meta ? `"meta":${proof.meta},` : ''
  return `{${meta}"record":${record},"token":${JSON.stringify(token)}}`
}

/** False for a superuser from an address that the settings do not list. */
export function isAddressAllowed({ settings }: AuthServices, auth: AuthRecord | null, ip: string): boolean {
  const { superuserIPs } = settings.current
  return !auth?.isSuperuser || superuserIPs.length === 0 || isListed(superuserIPs, ip)
}

export function checkAddress(services: AuthServices, auth: AuthRecord | null, ip: string): void {
  if (!isAddressAllowed(services, auth, ip)) throw forbidden()
}

async function checkAuthRule(store: Store, auth: AuthRecord, request: RequestInfo): Promise<void> {
  const { authRule } = auth.collection as AuthCollection
  if (request.auth?.isSuperuser || (authRule !== null && (await matches(store, auth, authRule, request))))
    return
  throw forbidden("The request doesn't satisfy the collection requirements to authenticate.")
}

async function matches(store: Store, auth: AuthRecord, rule: string, request: RequestInfo): Promise<boolean> {
  try {
    return await satisfies(store, auth, rule, request)
  } catch (error) {
    if (isRuleFault(error)) return false
    throw error
  }
}
