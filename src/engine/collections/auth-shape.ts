import { randomText } from '../../platform/tools/random.ts'
import {
  flag,
  list,
  map,
  object,
  optional,
  optionalFlag,
  optionalText,
  type Shape,
  startingWith,
  text,
  texts,
  type ValueOf,
  type ValuesOf,
  whole,
} from '../fields/json-shapes.ts'
import { MAIL_TEMPLATES, type MailTemplate } from './mail-texts.ts'

const SECRET_LENGTH = 50

const mail = (fresh: MailTemplate) =>
  object({
    subject: startingWith(text, () => fresh.subject),
    body: startingWith(text, () => fresh.body),
  })

export type TokenOptions = ValueOf<ReturnType<typeof token>>

/** Options of a token. `duration`: seconds. `secret`: a part of the signing key, which no answer shows. */
const token = (seconds: number) =>
  object({
    secret: startingWith(text, () => randomText(SECRET_LENGTH)),
    duration: startingWith(whole, () => seconds),
  })

export type OAuth2Provider = ValueOf<typeof provider>

const provider = object({
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
  ...list(provider),
  over(raw, old) {
    const sent = list(provider).over(raw, [])
    const present = (name: string) => old.find((one) => one.name === name)
    return sent.map((one, i) =>
      provider.over((raw as unknown[])[i], present(one.name) ?? provider.zero()),
    )
  },
}

/** OTPs by SMS: phones of the user `account` send them to the phone number in `field`. Not in PocketBase. */
const channel = optional(
  object({
    field: text,
    account: text,
    text: startingWith(text, () => '{OTP} is your code for {APP_NAME}.'),
  }),
)

const on = startingWith(flag, () => true)

/** Options of auth collections and their defaults. PocketBase: core/collection_model_auth_options.go */
export const AUTH_KEYS = {
  authRule: startingWith(optionalText, () => ''),
  manageRule: optionalText,
  authAlert: object({ enabled: on, emailTemplate: mail(MAIL_TEMPLATES.authAlert) }),
  oauth2: object({
    providers,
    mappedFields: object({ id: text, name: text, username: text, avatarURL: text }),
    enabled: flag,
  }),
  passwordAuth: object({ enabled: on, identityFields: startingWith(texts, () => ['email']) }),
  mfa: object({ enabled: flag, duration: startingWith(whole, () => 600), rule: text }),
  otp: object({
    enabled: flag,
    duration: startingWith(whole, () => 180),
    length: startingWith(whole, () => 8),
    emailTemplate: mail(MAIL_TEMPLATES.otp),
    channel,
  }),
  authToken: token(432_000),
  passwordResetToken: token(1_800),
  emailChangeToken: token(1_800),
  verificationToken: token(86_400),
  fileToken: token(180),
  verificationTemplate: mail(MAIL_TEMPLATES.verification),
  resetPasswordTemplate: mail(MAIL_TEMPLATES.resetPassword),
  confirmEmailChangeTemplate: mail(MAIL_TEMPLATES.confirmEmailChange),
}

export const TOKENS = [
  'authToken',
  'passwordResetToken',
  'emailChangeToken',
  'verificationToken',
  'fileToken',
] as const

export type AuthOptions = ValuesOf<typeof AUTH_KEYS>

export const makeAuthSecret = () => randomText(SECRET_LENGTH)
