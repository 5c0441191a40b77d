import { Hono } from 'hono'
import { z } from 'zod'
import type { AuthCall } from '../../auth/auth-services.ts'
import {
  confirmEmailChange,
  EMAIL_CHANGE_CONFIRM_FORM,
  EMAIL_CHANGE_FORM,
  requestEmailChange,
} from '../../auth/email-change.ts'
import { confirmVerification, requestVerification, TOKEN_FORM } from '../../auth/email-verification.ts'
import { IMPERSONATE_FORM, impersonate } from '../../auth/impersonate.ts'
import { MFA_FORM } from '../../auth/mfa.ts'
import { keepAppleName } from '../../auth/oauth2/apple-name.ts'
import { renderAuthMethods } from '../../auth/oauth2/auth-methods.ts'
import { findOrCreateRecord } from '../../auth/oauth2/find-or-create-record.ts'
import { identifyByOAuth2, OAUTH2_FORM, renderMeta } from '../../auth/oauth2/with-oauth2.ts'
import { confirmPasswordReset, PASSWORD_RESET_FORM, requestPasswordReset } from '../../auth/password-reset.ts'
import { EMAIL_FORM } from '../../auth/resend.ts'
import { refreshToken } from '../../auth/sessions.ts'
import { answerSignIn, type Proof } from '../../auth/sign-in.ts'
import {
  authWithOtp,
  authWithPassword,
  OTP_FORM,
  PASSWORD_FORM,
  requestOtp,
} from '../../auth/with-password.ts'
import type { AuthCollection } from '../../collections/catalog.ts'
import { ApiError, notFound } from '../../errors.ts'
import { object, type Shape, text, type ValueOf } from '../../fields/shape.ts'
import type { Answers } from '../../openapi/answers.ts'
import {
  type Form,
  MAILED,
  METHODS,
  OAUTH2_BODY,
  OAUTH2_META,
  OTP_REQUESTED,
  OTP_WANTED,
  SIGN_INS,
} from '../../openapi/auth-forms.ts'
import { json } from '../../openapi/content.ts'
import { MFA_NEEDED } from '../../openapi/failures.ts'
import { chapter, type Operation } from '../../openapi/operations.ts'
import { FIELDS_ONLY, ONE } from '../../openapi/record-parameters.ts'
import { typeName } from '../../openapi/record-schema.ts'
import { NOBODY, SIGNED_IN } from '../../openapi/security.ts'
import type { AuthRecord, RequestContext } from '../../request/request.ts'
import { bodyOf, type FormOptions, readForm } from '../body/body.ts'
import { type Ctx, type Env, queryOf, type Services } from '../context.ts'
import {
  auditConfirmation,
  auditRefusedSignIn,
  auditRequest,
  authCollectionOf,
  requireMember,
  requireSuperuser,
} from '../middleware/audit.ts'
import { authOf, buildRequest, meterFor, ownToken, routesFor, sendJson } from '../request-info.ts'
import { withCatalog } from '../retry.ts'
import { clientIp, storeOf } from '../server/store-of.ts'

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

const SECOND_METHOD: Answers = {
  401: { description: 'A second method is asked for.', content: json(MFA_NEEDED) },
}
const TOKEN = z.string().describe('Send it in the header `Authorization`.')
const DURATION = z
  .int()
  .min(0)
  .optional()
  .describe('Seconds that the token is good for; 0: as long as any of the collection.')

export function authPaths(collection: AuthCollection, record: z.ZodObject) {
  const path = `/api/collections/${collection.name}`
  const name = typeName(collection)
  const signedIn = z.object({ record, token: TOKEN }).meta({ id: `${name}SignedIn` })
  const answer = ['Signed in: the record as it sees itself, and a token for it.', signedIn] as const
  const forms = (some: readonly Form[], more: (end: string) => Partial<Operation>) =>
    some.map(({ verb, path: end, ...form }): [string, Operation] => [
      `POST ${path}/${end}`,
      { id: `${verb}${name}`, ...form, ...more(end) },
    ])
  const signIns = forms(SIGN_INS, () => ({
    params: ONE,
    answer,
    fails: [400, 404, 413],
    responses: SECOND_METHOD,
  }))
  const mailed = forms(MAILED, (end) => ({
    ...(end === 'request-email-change' && { security: SIGNED_IN }),
    answer: ['Done; said of an unknown address, too.'],
    fails: [400, 401, 404, 413],
  }))
  return chapter(collection.name, NOBODY, {
    [`GET ${path}/auth-methods`]: {
      id: `authMethodsOf${name}`,
      summary: 'How one may sign in',
      params: FIELDS_ONLY,
      answer: ['The methods.', METHODS],
      fails: [404],
    },
    ...Object.fromEntries(signIns),
    [`POST ${path}/request-otp`]: {
      id: `requestOtpOf${name}`,
      summary: 'Mail or text a one-time password',
      body: [OTP_WANTED, { email: 'ann@example.com' }],
      answer: ['Sent; said of an unknown address, too.', OTP_REQUESTED],
      fails: [400, 404, 413],
    },
    [`POST ${path}/auth-with-oauth2`]: {
      id: `signInWithOAuth2To${name}`,
      summary: 'Sign in with the code of a provider',
      body: [
        OAUTH2_BODY,
        { provider: 'oidc', code: 'k3v9x0c2', codeVerifier: 'zQ8…', redirectURL: 'https://…' },
      ],
      params: ONE,
      answer: [
        'Signed in.',
        signedIn.extend({ meta: OAUTH2_META }).meta({ id: `${name}SignedInWithOAuth2` }),
      ],
      fails: [400, 404, 413],
      responses: SECOND_METHOD,
    },
    [`POST ${path}/auth-refresh`]: {
      id: `refresh${name}`,
      summary: 'Exchange a token for a new one',
      description: 'Exchange a token for a new one. A token of an impersonation is returned unchanged.',
      security: SIGNED_IN,
      params: ONE,
      answer,
      fails: [400, 401, 404, 413],
    },
    [`POST ${path}/impersonate/{id}`]: {
      id: `impersonate${name}`,
      summary: 'Get a token for a record',
      description: 'Get a token for a record. Only superusers may.',
      security: SIGNED_IN,
      params: ONE,
      requestBody: { content: json(z.object({ duration: DURATION })) },
      answer,
      fails: [400, 401, 404, 413],
    },
    ...Object.fromEntries(mailed),
  })
}

/** Parameters that a provider adds to its redirect. Only Apple sends `user`. */
const REDIRECT_FORM = object({ state: text, code: text, error: text, user: text })
type Redirect = ValueOf<typeof REDIRECT_FORM>

const TOPIC = '@oauth2'
const SUCCESS = '../_/#/auth/oauth2-redirect-success'
const FAILURE = '../_/#/auth/oauth2-redirect-failure'

/** `/api/oauth2-redirect`: passes the code to the realtime client with id `state`, as PocketBase does. */
export function oauth2Routes(services: Services): Hono<Env> {
  const answer = async (c: Ctx) => {
    const redirect = await readRedirect(c)
    const isDone = redirect !== undefined && (await handBack(c, services, redirect))
    return c.body(null, c.req.method === 'GET' ? 307 : 303, { location: isDone ? SUCCESS : FAILURE })
  }
  return new Hono<Env>().get('/', answer).post('/', answer)
}

async function readRedirect(c: Ctx): Promise<Redirect | undefined> {
  if (c.req.method !== 'POST') {
    const { state = '', code = '', error = '' } = queryOf(c)
    return { state, code, error, user: '' }
  }
  try {
    return await readForm(c, REDIRECT_FORM)
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}

async function handBack(c: Ctx, services: Services, redirect: Redirect): Promise<boolean> {
  const { state, code, error, user } = redirect
  const data = JSON.stringify({ state, code, ...(error && { error }) })
  const ip = clientIp(c, services)
  const isHeard = await services.realtime.deliver({ clientId: state, ip, topic: TOPIC, data })
  const isDone = isHeard && code !== '' && error === ''
  if (isDone && user) keepAppleName(code, user)
  return isDone
}
