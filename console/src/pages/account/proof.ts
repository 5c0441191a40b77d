import { makePasswordRow } from '../../account/password-fields.ts'
import { postRequest } from '../../data/client.ts'
import { signByPasskey } from '../../data/passkeys.ts'
import { t } from '../../language/words.ts'
import type { FieldRow } from '../../parts/rows/form-row.ts'

// How a person proves who they are before a second factor changes: password, and the factor that there is.

/** The second factor of a person; `required_by`: the accounts that open only with one. */
export interface Factor {
  readonly enabled: boolean
  readonly app: boolean
  readonly passkeys: boolean
  readonly since: string
  readonly recovery_codes: number
  /** The sign-in was just now, by a provider or with two proofs: no password is asked for. */
  readonly fresh: boolean
  readonly required_by: readonly { readonly name: string; readonly from: string }[]
}

const PASSWORD_ROW: FieldRow = {
  ...makePasswordRow('password', t('Your password')),
  refused: t(
    'This is not your password. If you sign in by a provider and have none: sign out, sign in by the provider again, and do this within ten minutes.',
  ),
}

export const makeCodeRow = (hint: string): FieldRow => ({
  name: 'code',
  label: t('Code'),
  autocomplete: 'one-time-code',
  spellcheck: false,
  hint,
})

const HINTS = {
  app: t('Of the app, or a recovery code.'),
  passkeys: t('A recovery code. Without one, you are asked for a passkey.'),
  both: t('Of the app, or a recovery code. Without one, you are asked for a passkey.'),
} as const

export const makeProofRows = ({ enabled, app, passkeys, fresh }: Factor): readonly FieldRow[] => [
  ...(fresh ? [] : [PASSWORD_ROW]),
  ...(enabled
    ? [makeCodeRow(HINTS[app && passkeys ? 'both' : passkeys ? 'passkeys' : 'app'])]
    : []),
]

/** The proof that the request needs, after the browser has asked for a passkey where no code was typed. */
export async function completeProof(
  { passkeys }: Factor,
  { password, code }: Readonly<Record<string, unknown>>,
): Promise<object> {
  if (code) return { password, code }
  if (!passkeys) return { password }
  const options = await postRequest<object>('/api/account/passkeys/challenge')
  return { password, passkey: await signByPasskey(options) }
}
