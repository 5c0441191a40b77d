import type { AuthCall } from '../../engine/auth/auth-services.ts'
import { MFA_FORM } from '../../engine/auth/check-mfa.ts'
import {
  confirmEmailChange,
  EMAIL_CHANGE_CONFIRM_FORM,
  EMAIL_CHANGE_FORM,
  requestEmailChange,
} from '../../engine/auth/email-change.ts'
import {
  confirmVerification,
  requestVerification,
  TOKEN_FORM,
} from '../../engine/auth/email-verification.ts'
import { IMPERSONATE_FORM, impersonateRecord } from '../../engine/auth/impersonate.ts'
import { EMAIL_FORM } from '../../engine/auth/mail-on-request.ts'
import { renderAuthMethods } from '../../engine/auth/oauth2/auth-methods.ts'
import { findOrCreateRecord } from '../../engine/auth/oauth2/find-or-create-record.ts'
import {
  identifyByOAuth2,
  OAUTH2_FORM,
  renderMeta,
} from '../../engine/auth/oauth2/identify-by-oauth2.ts'
import { mailNewLink } from '../../engine/auth/oauth2/provider-links.ts'
import {
  authWithOtp,
  OTP_FORM,
  type Proven,
  requestOtp,
} from '../../engine/auth/one-time-passwords.ts'
import {
  confirmPasswordReset,
  PASSWORD_RESET_FORM,
  requestPasswordReset,
} from '../../engine/auth/password-reset.ts'
import { hasFactors } from '../../engine/auth/second-factor.ts'
import { refreshToken } from '../../engine/auth/sign-in-sessions.ts'
import { authWithPassword, PASSWORD_FORM } from '../../engine/auth/sign-in-with-password.ts'
import { type AuthCollection, SUPERUSERS } from '../../engine/collections/collection.ts'
import type { Shape } from '../../engine/fields/json-shapes.ts'
import { notFound } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { allowByRules, allowPathRecord, allowSuperuser } from '../allow-callers.ts'
import { asCaller } from '../attempt.ts'
import { type FormOptions, readForm } from '../body/form.ts'
import { readRequestBody } from '../body/read-body.ts'
import type { Bound } from '../bounds.ts'
import { makeRoutes, makeUndescribedRow } from '../make-routes.ts'
import { auditConfirmation, auditRequest } from '../middleware/audit-requests.ts'
import { requireAuthCollection } from '../middleware/require-caller.ts'
import type { Ctx, Services } from '../request-context.ts'
import { FORM_BYTES, MAX_BODY_BYTES } from '../route-limits.ts'
import { sendJson } from '../send-answer.ts'
import { answerSignInCall, answerWithToken } from './answer-with-token.ts'

const BY_RULES = allowByRules()
/** Allowed to members, because a sign-in ignores the token that is sent with it. */
const SIGN_IN = allowByRules('viewer')

const OF_SIGN_IN: Bound = { cost: 'constant cost', by: 'keys; limits of sign-ins' }
const OF_MAIL: Bound = { cost: 'constant cost', by: 'keys; limits of mails' }
const OF_CONFIRMATION: Bound = {
  cost: 'if an owner reclaims the record: keys, devices, webhooks and waiting texts of the account',
  by: '30 s',
}

/** Sign-in routes. PocketBase: apis/record_auth.go, contract 5.3 */
export const AUTH_ROUTES = makeRoutes(
  '',
  {
    'GET /api/collections/:collection/auth-methods': makeUndescribedRow(
      BY_RULES,
      OF_SIGN_IN,
      async ({ services }, c) => {
        const collection = requireAuthCollection(c, services)
        return renderAuthMethods(await enableCodes(services.store.signIn.db, collection))
      },
    ),
    'POST /api/collections/:collection/auth-with-password': {
      maxBytes: FORM_BYTES,
      ...makeUndescribedRow(SIGN_IN, OF_SIGN_IN, ({ services }, c) => {
        const identity = async () => (await readForm(c, PASSWORD_FORM)).identity
        const find = async (): Promise<Proven> => ({
          auth: await authWithPassword(makeAuthCall(c, services, PASSWORD_FORM)),
          method: 'password',
        })
        return answerSignInCall(c, services, 'password', find, identity)
      }),
    },
    'POST /api/collections/:collection/request-otp': {
      maxBytes: FORM_BYTES,
      ...makeUndescribedRow(BY_RULES, OF_SIGN_IN, async ({ services }, c) => ({
        otpId: await requestOtp(makeAuthCall(c, services, EMAIL_FORM)),
      })),
    },
    'POST /api/collections/:collection/auth-with-otp': {
      maxBytes: FORM_BYTES,
      ...makeUndescribedRow(SIGN_IN, OF_SIGN_IN, ({ services }, c) =>
        answerSignInCall(c, services, 'otp', () =>
          authWithOtp({
            ...makeAuthCall(c, services, OTP_FORM),
            readMfaId: async () =>
              c.env.incoming.query.mfaId || (await readForm(c, MFA_FORM)).mfaId,
          }),
        ),
      ),
    },
    'POST /api/collections/:collection/auth-with-oauth2': {
      maxBytes: FORM_BYTES,
      ...makeUndescribedRow(BY_RULES, OF_SIGN_IN, async ({ services }, c) => {
        const arrival = await identifyByOAuth2(makeAuthCall(c, services, OAUTH2_FORM))
        const { values } = await readRequestBody(c)
        const { extensions, log, store } = services
        const found = await asCaller(c, services, 'checked', async ({ caller }) => {
          const request = c.env.incoming.describe(caller, values, 'oauth2')
          const collection = requireAuthCollection(c, services)
          return findOrCreateRecord({
            store: store.signIn,
            extensions,
            log,
            collection,
            request,
            token: c.env.incoming.token,
            arrival,
          })
        })
        const { auth, isNew, said, provenAt, linkedTo } = found
        if (linkedTo) mailNewLink(services, linkedTo, arrival, c.env.incoming.language)
        const meta = renderMeta(arrival, isNew)
        const proof = {
          method: 'oauth2',
          meta,
          said,
          ...(provenAt !== undefined && { provenAt }),
        } as const
        return answerWithToken(c, services, auth, proof, { context: 'oauth2' })
      }),
    },
    'POST /api/collections/:collection/auth-refresh': {
      maxBytes: MAX_BODY_BYTES,
      ...makeUndescribedRow(
        allowPathRecord('viewer'),
        OF_SIGN_IN,
        async ({ auth, services }, c) => {
          const token = await refreshToken(services.store.signIn.db, auth, c.env.incoming.token)
          return answerWithToken(c, services, auth, { token }, { asker: auth })
        },
      ),
    },
    'POST /api/collections/:collection/impersonate/:id': {
      maxBytes: FORM_BYTES,
      ...makeUndescribedRow(
        allowSuperuser,
        OF_SIGN_IN,
        async ({ auth: superuser, services }, c, named) => {
          const { signIn: store } = services.store
          const collection = store.catalog.find(named)
          if (collection?.type !== 'auth')
            throw notFound('Missing or invalid auth collection context.')
          const read = () => readForm(c, IMPERSONATE_FORM, { terse: true })
          const { auth, token } = await impersonateRecord(
            store,
            collection,
            c.req.param('id')!,
            read,
          )
          const entry = { action: 'impersonate', collection: collection.name, record: auth.id }
          await auditRequest(c, superuser, entry)
          return answerWithToken(c, services, auth, { token }, { asker: superuser })
        },
      ),
    },
    'POST /api/collections/:collection/request-verification': {
      maxBytes: FORM_BYTES,
      ...makeUndescribedRow(BY_RULES, OF_MAIL, ({ services }, c) =>
        requestVerification(makeAuthCall(c, services, EMAIL_FORM)),
      ),
    },
    'POST /api/collections/:collection/confirm-verification': {
      maxBytes: FORM_BYTES,
      ...makeUndescribedRow(BY_RULES, OF_CONFIRMATION, ({ services }, c) =>
        confirmVerification(makeAuthCall(c, services, TOKEN_FORM)),
      ),
    },
    'POST /api/collections/:collection/request-password-reset': {
      maxBytes: FORM_BYTES,
      ...makeUndescribedRow(BY_RULES, OF_MAIL, ({ services }, c) =>
        requestPasswordReset(makeAuthCall(c, services, EMAIL_FORM)),
      ),
    },
    'POST /api/collections/:collection/confirm-password-reset': {
      maxBytes: FORM_BYTES,
      ...makeUndescribedRow(BY_RULES, OF_CONFIRMATION, ({ services }, c) => {
        const also = auditConfirmation(c, 'reset password')
        return confirmPasswordReset(
          makeAuthCall(c, services, PASSWORD_RESET_FORM, { terse: true }),
          also,
        )
      }),
    },
    'POST /api/collections/:collection/request-email-change': {
      maxBytes: FORM_BYTES,
      ...makeUndescribedRow(allowPathRecord(), OF_MAIL, ({ auth, services }, c) =>
        requestEmailChange(makeAuthCall(c, services, EMAIL_CHANGE_FORM), auth),
      ),
    },
    'POST /api/collections/:collection/confirm-email-change': {
      maxBytes: FORM_BYTES,
      ...makeUndescribedRow(BY_RULES, OF_CONFIRMATION, ({ services }, c) => {
        const also = auditConfirmation(c, 'change email')
        return confirmEmailChange(makeAuthCall(c, services, EMAIL_CHANGE_CONFIRM_FORM), also)
      }),
    },
  },
  sendJson,
)

/**
 * The superusers' collection as PocketBase's dashboard must see it once one of them has a second factor: it
 * asks for a code after the password only where one-time passwords are enabled.
 */
async function enableCodes(db: Db, collection: AuthCollection): Promise<AuthCollection> {
  const { name, otp } = collection
  if (name !== SUPERUSERS || otp.enabled || !(await hasFactors(db, collection))) return collection
  return { ...collection, otp: { ...otp, enabled: true } }
}

const makeAuthCall = <T extends object>(
  c: Ctx,
  services: Services,
  shape: Shape<T>,
  options?: FormOptions,
): AuthCall<T> => ({
  store: services.store.signIn,
  services,
  collection: requireAuthCollection(c, services),
  ip: c.env.incoming.ip,
  browser: c.env.incoming.language,
  readForm: () => readForm(c, shape, options),
})
