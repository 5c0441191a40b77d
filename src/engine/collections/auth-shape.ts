import { makeRandomText } from '../../platform/tools/random.ts'
import {
  flag,
  makeListShape,
  makeObjectShape,
  makeOptionalShape,
  map,
  optionalFlag,
  optionalText,
  type Shape,
  startShapeWith,
  text,
  texts,
  type ValueOf,
  type ValuesOf,
  whole,
} from '../fields/json-shapes.ts'
import { MAIL_TEMPLATES, type MailTemplate } from './mail-texts.ts'

const SECRET_LENGTH = 50

const makeMailShape = (fresh: MailTemplate) =>
  makeObjectShape({
    subject: startShapeWith(text, () => fresh.subject),
    body: startShapeWith(text, () => fresh.body),
  })

export type TokenOptions = ValueOf<ReturnType<typeof makeTokenShape>>

/** Options of a token. `duration`: seconds. `secret`: a part of the signing key, which no answer shows. */
const makeTokenShape = (seconds: number) =>
  makeObjectShape({
    secret: startShapeWith(text, () => makeRandomText(SECRET_LENGTH)),
    duration: startShapeWith(whole, () => seconds),
  })

export type OAuth2Provider = ValueOf<typeof provider>

const provider = makeObjectShape({
  pkce: optionalFlag,
  name: text,
  clientId: text,
  clientSecret: text,
  authURL: text,
  tokenURL: text,
  userInfoURL: text,
  displayName: text,
  extra: map,
})

/** OAuth2 providers. Keys that a submitted one lacks, such as the secret, keep their stored values. */
const providers: Shape<OAuth2Provider[]> = {
  ...makeListShape(provider),
  over(raw, old) {
    const sent = makeListShape(provider).over(raw, [])
    const present = (name: string) => old.find((one) => one.name === name)
    return sent.map((one, i) =>
      provider.over((raw as unknown[])[i], present(one.name) ?? provider.zero()),
    )
  },
}

/** OTPs by SMS: phones of the user `account` send them to the phone number in `field`. Not in PocketBase. */
const channel = makeOptionalShape(
  makeObjectShape({
    field: text,
    account: text,
    text: startShapeWith(text, () => '{OTP} is your code for {APP_NAME}.'),
  }),
)

const on = startShapeWith(flag, () => true)

/** Options of auth collections and their defaults. PocketBase: core/collection_model_auth_options.go */
export const AUTH_KEYS = {
  authRule: startShapeWith(optionalText, () => ''),
  manageRule: optionalText,
  authAlert: makeObjectShape({
    enabled: on,
    emailTemplate: makeMailShape(MAIL_TEMPLATES.authAlert),
  }),
  oauth2: makeObjectShape({
    providers,
    mappedFields: makeObjectShape({ id: text, name: text, username: text, avatarURL: text }),
    enabled: flag,
  }),
  passwordAuth: makeObjectShape({
    enabled: on,
    identityFields: startShapeWith(texts, () => ['email']),
  }),
  mfa: makeObjectShape({ enabled: flag, duration: startShapeWith(whole, () => 600), rule: text }),
  otp: makeObjectShape({
    enabled: flag,
    duration: startShapeWith(whole, () => 180),
    length: startShapeWith(whole, () => 8),
    emailTemplate: makeMailShape(MAIL_TEMPLATES.otp),
    channel,
  }),
  authToken: makeTokenShape(432_000),
  passwordResetToken: makeTokenShape(1_800),
  emailChangeToken: makeTokenShape(1_800),
  verificationToken: makeTokenShape(86_400),
  fileToken: makeTokenShape(180),
  verificationTemplate: makeMailShape(MAIL_TEMPLATES.verification),
  resetPasswordTemplate: makeMailShape(MAIL_TEMPLATES.resetPassword),
  confirmEmailChangeTemplate: makeMailShape(MAIL_TEMPLATES.confirmEmailChange),
}

export const TOKENS = [
  'authToken',
  'passwordResetToken',
  'emailChangeToken',
  'verificationToken',
  'fileToken',
] as const

export type AuthOptions = ValuesOf<typeof AUTH_KEYS>

export const makeAuthSecret = () => makeRandomText(SECRET_LENGTH)
