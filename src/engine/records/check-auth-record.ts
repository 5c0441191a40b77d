import { type FieldError, makeFieldError } from '../../platform/api-errors.ts'
import type { AuthCollection } from '../collections/collection.ts'
import { toText } from '../fields/convert-values.ts'
import { makeRequiredError } from '../fields/scalar-types.ts'
import type { PasswordWork } from './hash-passwords.ts'
import type { Draft, FieldErrors } from './prepare.ts'

const makeMismatchError = () => makeFieldError('validation_values_mismatch', "Values don't match")

const listChangedAddresses = ({ otp }: AuthCollection, { values, old }: Draft): readonly string[] =>
  ['email', ...(otp.channel ? [otp.channel.field] : [])].filter(
    (name) => old && values[name] !== old[name],
  )

/** Checks a submitted auth record. `manages`: the caller may change e.g. the email directly. Contract 4.8 */
export async function checkAuthForm(
  collection: AuthCollection,
  draft: Draft,
  body: Readonly<Record<string, unknown>>,
  manages: boolean,
  work: PasswordWork,
): Promise<FieldErrors> {
  const form = readForm(body)
  const { values, old } = draft
  const checks: Record<string, FieldError | undefined> = {
    ...(!manages &&
      Object.fromEntries(
        listChangedAddresses(collection, draft).map((name) => [name, makeMismatchError()]),
      )),
    verified:
      !manages && values.verified !== (old?.verified ?? false) ? makeMismatchError() : undefined,
    password: checkPassword(form, !old),
    passwordConfirm: checkConfirm(form, !old),
    oldPassword:
      old && !manages ? await checkOldPassword(form, String(old.password), work) : undefined,
  }
  return Object.fromEntries(Object.entries(checks).filter(([, error]) => error)) as FieldErrors
}

/** Whether the body has changes that only a manager (manageRule) may make directly, such as a new email. */
export const asksToManage = (
  collection: AuthCollection,
  draft: Draft,
  body: Readonly<Record<string, unknown>>,
): boolean =>
  draft.values.verified !== (draft.old?.verified ?? false) ||
  listChangedAddresses(collection, draft).length > 0 ||
  (draft.old !== undefined && isPasswordGiven(readForm(body)))

function readForm(body: Readonly<Record<string, unknown>>) {
  const { password, passwordConfirm, oldPassword } = body
  return {
    password: toText(password),
    passwordConfirm: toText(passwordConfirm),
    oldPassword: toText(oldPassword),
  }
}

type Form = ReturnType<typeof readForm>

const isPasswordGiven = ({ password, passwordConfirm }: Form) =>
  password !== '' || passwordConfirm !== ''

function checkPassword({ password, passwordConfirm, oldPassword }: Form, isNew: boolean) {
  return password === '' && (isNew || passwordConfirm !== '' || oldPassword !== '')
    ? makeRequiredError()
    : undefined
}

function checkConfirm({ password, passwordConfirm, oldPassword }: Form, isNew: boolean) {
  if (passwordConfirm === '' && (isNew || password !== '' || oldPassword !== ''))
    return makeRequiredError()
  return passwordConfirm === password ? undefined : makeMismatchError()
}

async function checkOldPassword(form: Form, hash: string, work: PasswordWork) {
  if (!isPasswordGiven(form)) return undefined
  if (form.oldPassword === '') return makeRequiredError()
  if (await work.verify(form.oldPassword, hash)) return undefined
  return makeFieldError('validation_invalid_old_password', 'Missing or invalid old password')
}
