import { z } from 'zod'
import { INSTANT_OR_EMPTY } from '../../engine/fields/date-schema.ts'
import { makeTextParams, type Operation } from './describe-operations.ts'

const PROVIDER = z
  .object({
    ...makeTextParams(['name', 'displayName']).shape,
    logo: z.string().describe("The provider's mark as an SVG; empty in `authProviders`."),
    state: z.string(),
    authURL: z
      .string()
      .describe('The address to open in the browser. Append the address to return to.'),
    authUrl: z.string(),
    codeVerifier: z.string().describe('Send it with the code; `authURL` contains its challenge.'),
    ...makeTextParams(['codeChallenge', 'codeChallengeMethod']).shape,
  })
  .meta({ id: 'OAuth2Provider' })

export const METHODS = z
  .object({
    password: z.object({ identityFields: z.array(z.string()), enabled: z.boolean() }),
    oauth2: z.object({ providers: z.array(PROVIDER), enabled: z.boolean() }),
    mfa: z.object({ enabled: z.boolean(), duration: z.int() }),
    otp: z.object({ enabled: z.boolean(), duration: z.int() }),
    authProviders: z.array(PROVIDER),
    usernamePassword: z.boolean(),
    emailPassword: z.boolean(),
  })
  .meta({ id: 'AuthMethods' })

const EMAIL = z.object({ email: z.string().meta({ format: 'email' }) }).meta({ id: 'EmailForm' })
const TOKEN = z
  .object({ token: z.string().describe('Out of the link in the mail.') })
  .meta({ id: 'TokenForm' })
const MFA_ID = z.string().optional().describe('Of the first method, where two are asked for.')

export interface AuthForm extends Pick<Operation, 'summary' | 'body'> {
  readonly path: string
  readonly verb: string
}

const PASSWORD = z
  .object({
    identity: z
      .string()
      .describe('The email address, or another field that the collection allows.'),
    password: z.string(),
    identityField: z.string().optional().describe('Search only this field.'),
    mfaId: MFA_ID,
  })
  .meta({ id: 'PasswordForm' })
const OTP = z
  .object({ otpId: z.string(), password: z.string(), mfaId: MFA_ID })
  .meta({ id: 'OtpForm' })

export const SIGN_IN_FORMS: readonly AuthForm[] = [
  {
    path: 'auth-with-password',
    verb: 'signInTo',
    summary: 'Sign in with a password',
    body: [PASSWORD, { identity: 'ann@example.com', password: 'ann-password' }],
  },
  {
    path: 'auth-with-otp',
    verb: 'signInWithOtpTo',
    summary: 'Sign in with a one-time password',
    body: [OTP, { otpId: 'k3v9x0c2m5n8b1a', password: '01234567' }],
  },
]

export const OAUTH2_META = z
  .object({
    ...makeTextParams(['id', 'name', 'username']).shape,
    email: z.string().describe('Only if the provider vouches for it.'),
    ...makeTextParams(['avatarURL', 'avatarUrl', 'accessToken', 'refreshToken']).shape,
    expiry: INSTANT_OR_EMPTY,
    rawUser: z.record(z.string(), z.unknown()),
    isNew: z.boolean().describe('This sign-in created the record.'),
  })
  .meta({ id: 'OAuth2Meta' })

export const OAUTH2_BODY = z
  .object({
    provider: z.string().max(100),
    code: z.string(),
    codeVerifier: z.string().optional(),
    redirectURL: z.string().optional(),
    createData: z.record(z.string(), z.unknown()).nullish().describe('Values of a new record.'),
    mfaId: MFA_ID,
  })
  .meta({ id: 'OAuth2Form' })

const describeMailForm = (
  path: string,
  summary: string,
  ...body: NonNullable<AuthForm['body']>
): AuthForm => {
  const verb = path.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  return { path, verb: `${verb}Of`, summary, body }
}
const RESET = makeTextParams(['token', 'password', 'passwordConfirm']).meta({
  id: 'PasswordResetForm',
})
const NEW_ADDRESS = z
  .object({ newEmail: z.string().meta({ format: 'email' }) })
  .meta({ id: 'EmailChangeForm' })
const CONFIRMED_ADDRESS = makeTextParams(['token', 'password']).meta({
  id: 'EmailChangeConfirmForm',
})
const [ann, token, password] = [{ email: 'ann@example.com' }, 'eyJhbGciOi…', 'a-new-password']

/** Requests that mail a link or take the token of a mailed link. All answer with an empty 204. */
export const MAILED: readonly AuthForm[] = [
  describeMailForm('request-verification', 'Mail a link that proves an address', EMAIL, ann),
  describeMailForm('confirm-verification', 'Prove an address by the token of its mail', TOKEN, {
    token,
  }),
  describeMailForm('request-password-reset', 'Mail a link to set a new password', EMAIL, ann),
  describeMailForm('confirm-password-reset', 'Set a new password by the token of its mail', RESET, {
    token,
    password,
    passwordConfirm: password,
  }),
  describeMailForm(
    'confirm-email-change',
    'Take on a new address by the token of its mail',
    CONFIRMED_ADDRESS,
    {
      token,
      password: 'ann-password',
    },
  ),
  describeMailForm('request-email-change', 'Mail a link to a new address', NEW_ADDRESS, {
    newEmail: 'ann@example.org',
  }),
]

export const OTP_WANTED = z
  .object({
    email: z
      .string()
      .describe(
        'The email address. If `otp.channel` sends texts, also the phone number of a record without an address.',
      ),
  })
  .meta({ id: 'OtpRequestForm' })
export const OTP_REQUESTED = z
  .object({
    otpId: z
      .string()
      .describe(
        'Send it with the password that was mailed or texted, or with the code of an authenticator app.',
      ),
  })
  .meta({ id: 'OtpRequested' })
