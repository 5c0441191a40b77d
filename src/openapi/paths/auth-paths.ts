import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import type { AuthCollection } from '../../collections/collection.ts'
import { type Answers, done, failures, json, success } from '../schemas/answers.ts'
import {
  EMAIL,
  type Form,
  MAILED,
  METHODS,
  OAUTH2_FORM,
  OAUTH2_META,
  OTP_REQUESTED,
  SIGN_INS,
} from '../schemas/auth-forms.ts'
import { MFA_NEEDED } from '../schemas/errors.ts'
import { chapter, type Operation } from '../schemas/operations.ts'
import { ONE } from '../schemas/record-query.ts'
import { typeName } from '../schemas/record-schema.ts'
import { NOBODY, SIGNED_IN } from '../schemas/security.ts'

/** Those that only a record of the collection itself may ask for. */
const OWN: ReadonlySet<string> = new Set(['request-email-change'])

const SECOND_METHOD: Answers = {
  401: { description: 'A second method is asked for.', content: json(MFA_NEEDED) },
}
const TOKEN = z.string().describe('Goes into the header `Authorization`.')
const DURATION = z
  .int()
  .min(0)
  .optional()
  .describe('Seconds that the token is good for; 0: as long as any of the collection.')

/** Signing in to an auth collection and what belongs to it. */
export function authPaths(collection: AuthCollection, record: z.ZodObject): ZodOpenApiPathsObject {
  const path = `/api/collections/${collection.name}`
  const name = typeName(collection)
  const signedIn = z.object({ record, token: TOKEN }).meta({ id: `${name}SignedIn` })
  const success200 = success('Signed in: the record as it sees itself, and a token for it.', signedIn)
  const forms = (some: readonly Form[], more: (form: Form) => Pick<Operation, 'responses'>) =>
    some.map((form): [string, Operation] => {
      const { verb, summary, body, example } = form
      return [
        `POST ${path}/${form.path}`,
        { id: `${verb}${name}`, summary, body: [body, example], ...more(form) },
      ]
    })
  const signIns = forms(SIGN_INS, () => ({
    params: ONE,
    responses: [success200, failures(400, 404, 413), SECOND_METHOD],
  }))
  const mailed = forms(MAILED, (form) => ({
    ...(OWN.has(form.path) && { security: SIGNED_IN }),
    responses: [done('Done; said of an unknown address, too.'), failures(400, 401, 404, 413)],
  }))
  return chapter(collection.name, NOBODY, {
    [`GET ${path}/auth-methods`]: {
      id: `authMethodsOf${name}`,
      summary: 'How one may sign in',
      params: { query: ONE.query.pick({ fields: true }) },
      responses: [success('The methods.', METHODS), failures(404)],
    },
    ...Object.fromEntries(signIns),
    [`POST ${path}/request-otp`]: {
      id: `requestOtpOf${name}`,
      summary: 'Mail a one-time password',
      body: [EMAIL, { email: 'ann@example.com' }],
      responses: [
        success('Mailed; said of an unknown address, too.', OTP_REQUESTED),
        failures(400, 404, 413),
      ],
    },
    [`POST ${path}/auth-with-oauth2`]: {
      id: `signInWithOAuth2To${name}`,
      summary: 'Sign in with the code of a provider',
      body: [
        OAUTH2_FORM,
        { provider: 'oidc', code: 'k3v9x0c2', codeVerifier: 'zQ8…', redirectURL: 'https://…' },
      ],
      params: ONE,
      responses: [
        success(
          'Signed in.',
          signedIn.extend({ meta: OAUTH2_META }).meta({ id: `${name}SignedInWithOAuth2` }),
        ),
        failures(400, 404, 413),
        SECOND_METHOD,
      ],
    },
    [`POST ${path}/auth-refresh`]: {
      id: `refresh${name}`,
      summary: 'Exchange a token for a new one',
      description: 'Exchange a token for a new one. A token of an impersonation is handed back as it is.',
      security: SIGNED_IN,
      params: ONE,
      responses: [success200, failures(400, 401, 404, 413)],
    },
    [`POST ${path}/impersonate/{id}`]: {
      id: `impersonate${name}`,
      summary: 'Get a token for a record',
      description: 'Get a token for a record. Only superusers may.',
      security: SIGNED_IN,
      params: { path: z.object({ id: z.string() }), ...ONE },
      requestBody: { content: json(z.object({ duration: DURATION })) },
      responses: [success200, failures(400, 401, 404, 413)],
    },
    ...Object.fromEntries(mailed),
  })
}
