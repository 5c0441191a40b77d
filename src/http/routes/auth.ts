import type { AuthCall } from '../../engine/auth/auth-services.ts'
import {
  confirmEmailChange,
  EMAIL_CHANGE_CONFIRM_FORM,
  EMAIL_CHANGE_FORM,
  requestEmailChange,
} from '../../engine/auth/email-change.ts'
import { confirmVerification, requestVerification, TOKEN_FORM } from '../../engine/auth/email-verification.ts'
import { IMPERSONATE_FORM, impersonate } from '../../engine/auth/impersonate.ts'
import { EMAIL_FORM } from '../../engine/auth/mail-on-request.ts'
import { MFA_FORM } from '../../engine/auth/mfa.ts'
import { renderAuthMethods } from '../../engine/auth/oauth2/auth-methods.ts'
import { findOrCreateRecord } from '../../engine/auth/oauth2/find-or-create-record.ts'
import { identifyByOAuth2, OAUTH2_FORM, renderMeta } from '../../engine/auth/oauth2/with-oauth2.ts'
import {
  confirmPasswordReset,
  PASSWORD_RESET_FORM,
  requestPasswordReset,
} from '../../engine/auth/password-reset.ts'
import { refreshToken } from '../../engine/auth/sessions.ts'
import { answerSignIn, type Proof } from '../../engine/auth/sign-in.ts'
import {
  authWithOtp,
  authWithPassword,
  OTP_FORM,
  PASSWORD_FORM,
  requestOtp,
} from '../../engine/auth/with-password.ts'
import type { Shape } from '../../engine/fields/json-shapes.ts'
import type { AuthRecord, RequestContext } from '../../engine/request/request.ts'
import { notFound } from '../../platform/errors.ts'
import { sendJson } from '../answer.ts'
import { authOf, buildRequest, meterFor, ownToken } from '../authenticate.ts'
import { bodyOf } from '../body/body.ts'
import { type FormOptions, readForm } from '../body/form.ts'
import type { Ctx, Services } from '../context.ts'
import { routesFor } from '../make-routes.ts'
import { auditConfirmation, auditRefusedSignIn, auditRequest } from '../middleware/audit.ts'
import { authCollectionOf, requireMember, requireSuperuser } from '../middleware/require-caller.ts'
import { withCatalog } from '../retry.ts'
import { clientIp, storeOf } from '../server/caller.ts'

/** Sign-in routes below `/api/collections/{collection}`. PocketBase: apis/record_auth.go, contract 5.3 */
export const authRoutes = (services: Services) => {
  const store = services.store.signIn
  const callsOf =
    async (c: Ctx) =>
    <T extends object>(shape: Shape<T>, options?: FormOptions): AuthCall<T> => ({
      store,
      services,
      collection: authCollectionOf(c, services),
      ip: clientIp(c, services),
      readForm: () => readForm(c, shape, options),
    })
  return routesFor(
    callsOf,
    {
      'GET /auth-methods': (_, c) => renderAuthMethods(authCollectionOf(c, services)),
      'POST /auth-with-password': (call, c) => {
        const identity = async () => (await readForm(c, PASSWORD_FORM)).identity
        return signIn(c, services, 'password', () => authWithPassword(call(PASSWORD_FORM)), identity)
      },
      'POST /request-otp': async (call) => ({ otpId: await requestOtp(call(EMAIL_FORM)) }),
      'POST /auth-with-otp': (call, c) => signIn(c, services, 'otp', () => authWithOtp(call(OTP_FORM))),
      'POST /auth-with-oauth2': async (call, c) => {
        const arrival = await identifyByOAuth2(call(OAUTH2_FORM))
        const { values } = await bodyOf(c)
        const { extensions, log } = services
        const { auth, isNew } = await withCatalog(services.store, async () => {
          const request = buildRequest(c, await authOf(c, services), values, 'oauth2')
          const collection = authCollectionOf(c, services)
          return findOrCreateRecord({ store, extensions, log, collection, request, arrival })
        })
        const proof = { method: 'oauth2', meta: renderMeta(arrival, isNew) } as const
        return signedIn(c, services, auth, proof, { context: 'oauth2' })
      },
      'POST /auth-refresh': async (_, c) => {
        const { auth } = await requireMember(c, services)
        const token = await refreshToken(store.db, auth, ownToken(c))
        return signedIn(c, services, auth, { token }, { asker: auth })
      },
      'POST /impersonate/:id': async (_, c) => {
        const { auth: superuser } = await requireSuperuser(c, services)
        const collection = store.catalog.find(c.req.param('collection')!)
        if (collection?.type !== 'auth') throw notFound('Missing or invalid auth collection context.')
        const read = () => readForm(c, IMPERSONATE_FORM, { terse: true })
        const { auth, token } = await impersonate(store, collection, c.req.param('id')!, read)
        const entry = { action: 'impersonate', collection: collection.name, record: auth.id }
        await auditRequest(c, services, superuser, entry)
        return signedIn(c, services, auth, { token }, { asker: superuser })
      },
      'POST /request-verification': (call) => requestVerification(call(EMAIL_FORM)),
      'POST /confirm-verification': (call) => confirmVerification(call(TOKEN_FORM)),
      'POST /request-password-reset': (call) => requestPasswordReset(call(EMAIL_FORM)),
      'POST /confirm-password-reset': (call, c) => {
        const also = auditConfirmation(c, services, 'reset password')
        return confirmPasswordReset(call(PASSWORD_RESET_FORM, { terse: true }), also)
      },
      'POST /request-email-change': async (call, c) => {
        const { auth } = await requireMember(c, services)
        return requestEmailChange(call(EMAIL_CHANGE_FORM), auth)
      },
      'POST /confirm-email-change': (call, c) => {
        const also = auditConfirmation(c, services, 'change email')
        return confirmEmailChange(call(EMAIL_CHANGE_CONFIRM_FORM), also)
      },
    },
    sendJson,
  )
}

async function signIn(
  c: Ctx,
  services: Services,
  method: 'password' | 'otp',
  find: () => Promise<AuthRecord>,
  identity = async () => '',
): Promise<Response> {
  try {
    const auth = await withCatalog(services.store, find)
    const answer = await signedIn(c, services, auth, { method }, { context: method })
    if (auth.isSuperuser) await auditRequest(c, services, auth, { action: 'sign in' })
    return answer
  } catch (error) {
    await auditRefusedSignIn(c, services, error, identity)
    throw error
  }
}

/** Answers a successful sign-in by any method. `known.asker`: who sent the request, if already identified. */
export async function signedIn(
  c: Ctx,
  services: Services,
  auth: AuthRecord,
  proof: Proof,
  known: { readonly context?: RequestContext; readonly asker?: AuthRecord },
): Promise<Response> {
  const { values } = await bodyOf(c)
  const asker = known.asker ?? (await authOf(c, services))
  const visit = {
    readMfaForm: () => readForm(c, MFA_FORM),
    request: buildRequest(c, asker, values, known.context, meterFor(c, asker ?? auth)),
    ip: clientIp(c, services),
    userAgent: c.env.incoming.headers['user-agent'] ?? '',
  }
  c.header('cache-control', 'no-store')
  return sendJson(c, await answerSignIn(storeOf(c, services, asker ?? auth), services, auth, visit, proof))
}
