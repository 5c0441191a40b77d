import type { Store } from '../collections/catalog.ts'
import { toRow } from '../records/record-row.ts'
import { answerRecord } from '../records/view.ts'
import type { AuthRecord, RequestInfo } from '../request/request.ts'
import { checkAuthRule } from './auth-rule.ts'
import type { AuthServices, SignInOrigin } from './auth-services.ts'
import { checkMfa, type Method, type MfaForm } from './check-mfa.ts'
import { requireEnabled } from './find-auth-record.ts'
import { startSession } from './sessions.ts'
import { recordSignInOrigin } from './sign-in-origins.ts'
import { checkAddress } from './superuser-addresses.ts'

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
}

/**
 * Answers a sign-in with JSON `{"record":…,"token":…}`. Throws 403, or 401 if a second method is required.
 * PocketBase: apis/record_helpers.go, recordAuthResponse
 */
export async function answerSignIn(
  store: Store,
  services: AuthServices,
  auth: AuthRecord,
  signIn: SignInRequest,
  proof: SignInProof,
): Promise<string> {
  checkAddress(services, auth, signIn.ip)
  requireEnabled(auth)
  await checkAuthRule(store, auth, signIn.request)
  if (proof.method) {
    await checkMfa(store, auth, proof.method, signIn.request, signIn.readMfaForm)
    await recordSignInOrigin(store, services, auth, signIn)
  }
  const token = proof.token ?? (await startSession(store.db, auth, signIn))
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
