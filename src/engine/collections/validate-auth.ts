import { type ErrorData, type FieldError, fieldError } from '../../platform/api-errors.ts'
import { type OAuth2Provider, TOKENS, type TokenOptions } from './auth-shape.ts'
import {
  all,
  atLeast,
  atMost,
  byPlace,
  type Check,
  check,
  length,
  nullOrFilled,
  type Problem,
  required,
  url,
} from './checks.ts'
import type { AuthCollection, Rule } from './collection.ts'
import { OAUTH2_PROVIDERS } from './definition/oauth2-providers.ts'
import { findUniqueIndex } from './index-definition.ts'
import type { MailTemplate } from './mail-texts.ts'

const MAX_TOKEN_SECONDS = 94_670_856
const DAY_SECONDS = 86_400
const MAX_TEXT = 480

const token = ({ secret, duration }: TokenOptions) =>
  all({
    secret: check(secret, required, length(30, 255)),
    duration: check(duration, required, atLeast(10), atMost(MAX_TOKEN_SECONDS)),
  })

const mail = ({ subject, body }: MailTemplate) =>
  all({ subject: required(subject), body: required(body) })

const knownProvider: Check = (name) =>
  OAUTH2_PROVIDERS.has(String(name))
    ? undefined
    : fieldError('validation_missing_provider', `Invalid or missing provider with name ${name}.`, {
        name,
      })

function twice(providers: readonly OAuth2Provider[]): Problem {
  const place = providers.findIndex(
    ({ name }, i) => name && providers.findIndex((one) => one.name === name) < i,
  )
  if (place < 0) return undefined
  const { name } = providers[place]!
  const text = `The provider ${name} is already registered.`
  return { [place]: { name: fieldError('validation_duplicated_provider', text, { name }) } }
}

const provider = ({
  name,
  clientId,
  clientSecret,
  authURL,
  tokenURL,
  userInfoURL,
}: OAuth2Provider) =>
  all({
    name: check(name, required, knownProvider),
    clientId: required(clientId),
    clientSecret: required(clientSecret),
    authURL: url(authURL),
    tokenURL: url(tokenURL),
    userInfoURL: url(userInfoURL),
  })

const providers = (list: readonly OAuth2Provider[]) => twice(list) ?? byPlace(list, provider)

const seconds = (duration: number, enabled: boolean) =>
  enabled ? check(duration, required, atLeast(10), atMost(DAY_SECONDS)) : undefined

const otpInText: Check = (text) =>
  String(text).includes('{OTP}')
    ? undefined
    : fieldError('validation_missing_otp', 'The text must contain {OTP}.')

/** Problems of `otp.channel`. The user `account` may not exist yet: an import may add users later. */
function channel(
  { field, account, text }: NonNullable<AuthCollection['otp']['channel']>,
  { fields }: AuthCollection,
) {
  const isText = fields.some(
    ({ name, type, system }) => name === field && type === 'text' && !system,
  )
  const missing = () =>
    fieldError('validation_missing_field', `Invalid or missing text field ${field}`)
  return all({
    field: required(field) ?? (isText ? undefined : missing()),
    account: required(account),
    text: check(text, required, length(1, MAX_TEXT), otpInText),
  })
}

function options(
  next: AuthCollection,
  rule: (text: Rule, key: 'authRule' | 'manageRule') => Problem,
) {
  const { oauth2, otp, mfa, passwordAuth } = next
  return all({
    authRule: rule(next.authRule, 'authRule'),
    manageRule: nullOrFilled(next.manageRule) ?? rule(next.manageRule, 'manageRule'),
    authAlert: all({ emailTemplate: mail(next.authAlert.emailTemplate) }),
    passwordAuth: all({
      identityFields: passwordAuth.enabled ? required(passwordAuth.identityFields) : undefined,
    }),
    oauth2: oauth2.enabled ? all({ providers: providers(oauth2.providers) }) : undefined,
    otp: all({
      channel: otp.channel && channel(otp.channel, next),
      duration: seconds(otp.duration, otp.enabled),
      length: otp.enabled ? check(otp.length, required, atLeast(4)) : undefined,
      emailTemplate: mail(otp.emailTemplate),
    }),
    mfa: all({ duration: seconds(mfa.duration, mfa.enabled) }),
    ...Object.fromEntries(TOKENS.map((key) => [key, token(next[key])])),
    verificationTemplate: mail(next.verificationTemplate),
    resetPasswordTemplate: mail(next.resetPasswordTemplate),
    confirmEmailChangeTemplate: mail(next.confirmEmailChangeTemplate),
  })
}

function mfaProblem(
  { mfa, passwordAuth, oauth2, otp }: AuthCollection,
  rule: (text: string) => Problem,
) {
  if (!mfa.enabled) return undefined
  const methods = [passwordAuth, oauth2, otp].filter(({ enabled }) => enabled).length
  if (methods < 2) {
    const text = 'MFA requires at least 2 auth methods to be enabled.'
    return { mfa: { enabled: fieldError('validation_mfa_not_enough_auths', text) } }
  }
  const problem = rule(mfa.rule)
  return problem && { mfa: { rule: problem } as ErrorData }
}

function identityProblem({ passwordAuth, fields, indexes }: AuthCollection): ErrorData | undefined {
  if (!passwordAuth.enabled) return undefined
  const wrong = (error: FieldError) => ({ passwordAuth: { identityFields: error } })
  for (const fieldName of passwordAuth.identityFields) {
    const missing = required(fieldName)
    if (missing) return wrong(missing as FieldError)
    if (!fields.some(({ name }) => name === fieldName)) {
      const text = `Invalid or missing field ${fieldName}`
      return wrong(fieldError('validation_missing_field', text, { fieldName }))
    }
    if (!findUniqueIndex(indexes, fieldName)) {
      const text = `The field ${fieldName} doesn't have a UNIQUE constraint.`
      return wrong(fieldError('validation_missing_unique_constraint', text, { fieldName }))
    }
  }
}

/** Problems of an auth collection's options. PocketBase: core/collection_model_auth_options.go */
export function validateAuth(
  next: AuthCollection,
  rule: (text: Rule, key: 'authRule' | 'manageRule' | 'mfa') => Problem,
): ErrorData | undefined {
  return (
    options(next, rule) ?? mfaProblem(next, (text) => rule(text, 'mfa')) ?? identityProblem(next)
  )
}
