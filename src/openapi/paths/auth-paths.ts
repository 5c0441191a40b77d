import { z } from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import type { AuthCollection } from '../../collections/collection.ts'
import { answers, done, failures, json, success } from '../schemas/answers.ts'
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
import { ONE } from '../schemas/record-query.ts'
import { typeName } from '../schemas/record-schema.ts'
import { NOBODY, SIGNED_IN } from '../schemas/security.ts'

/** Those that only a record of the collection itself may ask for. */
const OWN: ReadonlySet<string> = new Set(['request-email-change'])

/** Signing in to an auth collection and what belongs to it. */
export function authPaths(collection: AuthCollection, record: z.ZodObject): ZodOpenApiPathsObject {
  const path = `/api/collections/${collection.name}`
  const name = typeName(collection)
  const tags = [collection.name]
  const signedIn = z
    .object({ record, token: z.string().meta({ description: 'Goes into the header `Authorization`.' }) })
    .meta({ id: `${name}SignedIn` })
  const success200 = success('Signed in: the record as it sees itself, and a token for it.', signedIn)
  const signIns = SIGN_INS.map((form) => [
    `${path}/${form.path}`,
    {
      post: {
        ...posted(form, name, tags),
        requestParams: ONE,
        responses: answers(success200, failures(400, 404, 413), {
          401: { description: 'A second method is asked for.', content: json(MFA_NEEDED) },
        }),
      },
    },
  ])
  const mailed = MAILED.map((form) => [
    `${path}/${form.path}`,
    {
      post: {
        ...posted(form, name, tags),
        ...(OWN.has(form.path) && { security: SIGNED_IN }),
        responses: answers(done('Done; said of an unknown address, too.'), failures(400, 401, 404, 413)),
      },
    },
  ])
  return {
    [`${path}/auth-methods`]: {
      get: {
        operationId: `authMethodsOf${name}`,
        tags,
        summary: 'How one may sign in',
        security: NOBODY,
        requestParams: { query: ONE.query.pick({ fields: true }) },
        responses: answers(success('The methods.', METHODS), failures(404)),
      },
    },
    ...Object.fromEntries(signIns),
    [`${path}/request-otp`]: { post: requestOtp(name, tags) },
    [`${path}/auth-with-oauth2`]: { post: oauth2(name, tags, signedIn) },
    [`${path}/auth-refresh`]: {
      post: {
        operationId: `refresh${name}`,
        tags,
        summary: 'Exchange a token for a new one',
        description: 'Exchange a token for a new one. A token of an impersonation is handed back as it is.',
        security: SIGNED_IN,
        requestParams: ONE,
        responses: answers(success200, failures(400, 401, 404, 413)),
      },
    },
    [`${path}/impersonate/{id}`]: {
      post: {
        operationId: `impersonate${name}`,
        tags,
        summary: 'Get a token for a record',
        description: 'Get a token for a record. Only superusers may.',
        security: SIGNED_IN,
        requestParams: { path: z.object({ id: z.string() }), ...ONE },
        requestBody: {
          content: json(
            z.object({
              duration: z.int().min(0).optional().meta({
                description: 'Seconds that the token is good for; 0: as long as any of the collection.',
              }),
            }),
          ),
        },
        responses: answers(success200, failures(400, 401, 404, 413)),
      },
    },
    ...Object.fromEntries(mailed),
  }
}

const posted = ({ verb, summary, body, example }: Form, name: string, tags: string[]) => ({
  operationId: `${verb}${name}`,
  tags,
  summary,
  security: NOBODY,
  requestBody: { required: true, content: json(body, example) },
})

const requestOtp = (name: string, tags: string[]): ZodOpenApiOperationObject => ({
  operationId: `requestOtpOf${name}`,
  tags,
  summary: 'Mail a one-time password',
  security: NOBODY,
  requestBody: { required: true, content: json(EMAIL, { email: 'ann@example.com' }) },
  responses: answers(
    success('Mailed; said of an unknown address, too.', OTP_REQUESTED),
    failures(400, 404, 413),
  ),
})

const oauth2 = (name: string, tags: string[], signedIn: z.ZodObject): ZodOpenApiOperationObject => ({
  operationId: `signInWithOAuth2To${name}`,
  tags,
  summary: 'Sign in with the code of a provider',
  security: NOBODY,
  requestBody: {
    required: true,
    content: json(OAUTH2_FORM, {
      provider: 'oidc',
      code: 'k3v9x0c2',
      codeVerifier: 'zQ8…',
      redirectURL: 'https://…',
    }),
  },
  requestParams: ONE,
  responses: answers(
    success('Signed in.', signedIn.extend({ meta: OAUTH2_META }).meta({ id: `${name}SignedInWithOAuth2` })),
    failures(400, 404, 413),
    { 401: { description: 'A second method is asked for.', content: json(MFA_NEEDED) } },
  ),
})
