import { z } from 'zod'
import type { AuthCollection } from '../../engine/collections/collection.ts'
import {
  type AuthForm,
  MAILED,
  METHODS,
  OAUTH2_BODY,
  OAUTH2_META,
  OTP_REQUESTED,
  OTP_WANTED,
  SIGN_IN_FORMS,
} from '../openapi/auth-forms.ts'
import { describeChapter, type Operation } from '../openapi/describe-operations.ts'
import { MFA_NEEDED } from '../openapi/failures.ts'
import type { Answers } from '../openapi/invalid-answers.ts'
import { FIELDS_ONLY, ONE } from '../openapi/record-parameters.ts'
import { makeTypeName } from '../openapi/record-schema.ts'
import { describeJson } from '../openapi/success-answers.ts'

const SECOND_METHOD: Answers = {
  401: { description: 'A second method is asked for.', content: describeJson(MFA_NEEDED) },
}

const TOKEN = z.string().describe('Send it in the header `Authorization`.')

const DURATION = z
  .int()
  .min(0)
  .optional()
  .describe('Seconds that the token is good for; 0: as long as any of the collection.')

export function describeAuthPaths(collection: AuthCollection, record: z.ZodObject) {
  const path = `/api/collections/${collection.name}`
  const name = makeTypeName(collection)
  const signedIn = z.object({ record, token: TOKEN }).meta({ id: `${name}SignedIn` })
  const answer = ['Signed in: the record as it sees itself, and a token for it.', signedIn] as const
  const forms = (some: readonly AuthForm[], more: (end: string) => Partial<Operation>) =>
    some.map(({ verb, path: end, ...form }): [string, Operation] => [
      `POST ${path}/${end}`,
      { id: `${verb}${name}`, ...form, ...more(end) },
    ])
  const signIns = forms(SIGN_IN_FORMS, () => ({
    params: ONE,
    answer,
    fails: [400, 404, 413],
    responses: SECOND_METHOD,
  }))
  const mailed = forms(MAILED, (end) => ({
    ...(end === 'request-email-change' && { security: 'signedIn' }),
    answer: ['Done; said of an unknown address, too.'],
    fails: [400, 401, 404, 413],
  }))
  return describeChapter(collection.name, 'none', {
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
      description:
        'Exchange a token for a new one. A token of an impersonation is returned unchanged.',
      security: 'signedIn',
      params: ONE,
      answer,
      fails: [400, 401, 404, 413],
    },
    [`POST ${path}/impersonate/{id}`]: {
      id: `impersonate${name}`,
      summary: 'Get a token for a record',
      description: 'Get a token for a record. Only superusers may.',
      security: 'signedIn',
      params: ONE,
      requestBody: { content: describeJson(z.object({ duration: DURATION })) },
      answer,
      fails: [400, 401, 404, 413],
    },
    ...Object.fromEntries(mailed),
  })
}
