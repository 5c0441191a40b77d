import { type ErrorData, type FieldError, makeFieldError } from '../../platform/api-errors.ts'
import {
  type Check,
  checkItems,
  checkLength,
  checkMaximum,
  checkMinimum,
  checkNullOrFilled,
  checkRequired,
  checkUrl,
  collectProblems,
  type Problem,
  runChecks,
} from '../fields/value-checks.ts'
import { type OAuth2Provider, TOKENS, type TokenOptions } from './auth-shape.ts'
import type { AuthCollection, Rule } from './collection.ts'
import { OAUTH2_PROVIDERS } from './definition/oauth2-providers.ts'
import { findUniqueIndex } from './index-definition.ts'
import type { MailTemplate } from './mail-texts.ts'

const MAX_TOKEN_SECONDS = 94_670_856
const DAY_SECONDS = 86_400
const MAX_TEXT = 480

const checkToken = ({ secret, duration }: TokenOptions) =>
  collectProblems({
    secret: runChecks(secret, checkRequired, checkLength(30, 255)),
    duration: runChecks(duration, checkRequired, checkMinimum(10), checkMaximum(MAX_TOKEN_SECONDS)),
  })

const checkMail = ({ subject, body }: MailTemplate) =>
  collectProblems({ subject: checkRequired(subject), body: checkRequired(body) })

const checkKnownProvider: Check = (name) =>
  OAUTH2_PROVIDERS.has(String(name))
    ? undefined
    : makeFieldError(
        'validation_missing_provider',
        `Invalid or missing provider with name ${name}.`,
        {
          name,
        },
      )

function findRepeatedProvider(providers: readonly OAuth2Provider[]): Problem {
  const place = providers.findIndex(
    ({ name }, i) => name && providers.findIndex((one) => one.name === name) < i,
  )
  if (place < 0) return undefined
  const { name } = providers[place]!
  const text = `The provider ${name} is already registered.`
  return { [place]: { name: makeFieldError('validation_duplicated_provider', text, { name }) } }
}

const checkProvider = ({
  name,
  clientId,
  clientSecret,
  authURL,
  tokenURL,
  userInfoURL,
}: OAuth2Provider) =>
  collectProblems({
    name: runChecks(name, checkRequired, checkKnownProvider),
    clientId: checkRequired(clientId),
    clientSecret: checkRequired(clientSecret),
    authURL: checkUrl(authURL),
    tokenURL: checkUrl(tokenURL),
    userInfoURL: checkUrl(userInfoURL),
  })

const checkProviders = (list: readonly OAuth2Provider[]) =>
  findRepeatedProvider(list) ?? checkItems(list, checkProvider)

const checkDuration = (duration: number, enabled: boolean) =>
  enabled
    ? runChecks(duration, checkRequired, checkMinimum(10), checkMaximum(DAY_SECONDS))
    : undefined

const checkOtpInText: Check = (text) =>
  String(text).includes('{OTP}')
    ? undefined
    : makeFieldError('validation_missing_otp', 'The text must contain {OTP}.')

/** Problems of `otp.channel`. The user `account` may not exist yet: an import may add users later. */
function checkOtpChannel(
  { field, account, text }: NonNullable<AuthCollection['otp']['channel']>,
  { fields }: AuthCollection,
) {
  const isText = fields.some(
    ({ name, type, system }) => name === field && type === 'text' && !system,
  )
  const missing = () =>
    makeFieldError('validation_missing_field', `Invalid or missing text field ${field}`)
  return collectProblems({
    field: checkRequired(field) ?? (isText ? undefined : missing()),
    account: checkRequired(account),
    text: runChecks(text, checkRequired, checkLength(1, MAX_TEXT), checkOtpInText),
  })
}

function checkAuthOptions(
  next: AuthCollection,
  rule: (text: Rule, key: 'authRule' | 'manageRule') => Problem,
) {
  const { oauth2, otp, mfa, passwordAuth } = next
  return collectProblems({
    authRule: rule(next.authRule, 'authRule'),
    manageRule: checkNullOrFilled(next.manageRule) ?? rule(next.manageRule, 'manageRule'),
    authAlert: collectProblems({ emailTemplate: checkMail(next.authAlert.emailTemplate) }),
    passwordAuth: collectProblems({
      identityFields: passwordAuth.enabled ? checkRequired(passwordAuth.identityFields) : undefined,
    }),
    oauth2: oauth2.enabled
      ? collectProblems({ providers: checkProviders(oauth2.providers) })
      : undefined,
    otp: collectProblems({
      channel: otp.channel && checkOtpChannel(otp.channel, next),
      duration: checkDuration(otp.duration, otp.enabled),
      length: otp.enabled ? runChecks(otp.length, checkRequired, checkMinimum(4)) : undefined,
      emailTemplate: checkMail(otp.emailTemplate),
    }),
    mfa: collectProblems({ duration: checkDuration(mfa.duration, mfa.enabled) }),
    ...Object.fromEntries(TOKENS.map((key) => [key, checkToken(next[key])])),
    verificationTemplate: checkMail(next.verificationTemplate),
    resetPasswordTemplate: checkMail(next.resetPasswordTemplate),
    confirmEmailChangeTemplate: checkMail(next.confirmEmailChangeTemplate),
  })
}

function findMfaProblem(
  { mfa, passwordAuth, oauth2, otp }: AuthCollection,
  rule: (text: string) => Problem,
) {
  if (!mfa.enabled) return undefined
  const methods = [passwordAuth, oauth2, otp].filter(({ enabled }) => enabled).length
  if (methods < 2) {
    const text = 'MFA requires at least 2 auth methods to be enabled.'
    return { mfa: { enabled: makeFieldError('validation_mfa_not_enough_auths', text) } }
  }
  const problem = rule(mfa.rule)
  return problem && { mfa: { rule: problem } as ErrorData }
}

function findIdentityProblem({
  passwordAuth,
  fields,
  indexes,
}: AuthCollection): ErrorData | undefined {
  if (!passwordAuth.enabled) return undefined
  const wrong = (error: FieldError) => ({ passwordAuth: { identityFields: error } })
  for (const fieldName of passwordAuth.identityFields) {
    const missing = checkRequired(fieldName)
    if (missing) return wrong(missing as FieldError)
    if (!fields.some(({ name }) => name === fieldName)) {
      const text = `Invalid or missing field ${fieldName}`
      return wrong(makeFieldError('validation_missing_field', text, { fieldName }))
    }
    if (!findUniqueIndex(indexes, fieldName)) {
      const text = `The field ${fieldName} doesn't have a UNIQUE constraint.`
      return wrong(makeFieldError('validation_missing_unique_constraint', text, { fieldName }))
    }
  }
}

/** Problems of an auth collection's options. PocketBase: core/collection_model_auth_options.go */
export function validateAuth(
  next: AuthCollection,
  rule: (text: Rule, key: 'authRule' | 'manageRule' | 'mfa') => Problem,
): ErrorData | undefined {
  return (
    checkAuthOptions(next, rule) ??
    findMfaProblem(next, (text) => rule(text, 'mfa')) ??
    findIdentityProblem(next)
  )
}
