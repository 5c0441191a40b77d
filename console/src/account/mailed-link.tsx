import { useState } from 'preact/hooks'
import { pb } from '../data/client.ts'
import { t } from '../language/words.ts'
import { ButtonLink } from '../parts/form/form.tsx'
import type { FormRow } from '../parts/rows/form-row.ts'
import { RowsForm } from '../parts/rows/rows-form.tsx'
import { makePageHref, type PageProps } from '../router.ts'
import { BrokenLink } from './broken-link.tsx'
import { PageFrame } from './page-frame.tsx'
import { makeNewPasswordRows, makePasswordRow, type Passwords } from './password-fields.ts'

const LINKS: Readonly<Record<string, readonly [string, string, string, readonly FormRow[]]>> = {
  'confirm-password-reset': [
    t('Set a new password'),
    t('Set the password'),
    t('Your new password is set'),
    makeNewPasswordRows(t('Password')),
  ],
  'confirm-email-change': [
    t('Confirm your new email address'),
    t('Confirm'),
    t('Your new email address is confirmed'),
    [makePasswordRow('password', t('Password'))],
  ],
  'confirm-verification': [
    t('Confirm your email address'),
    t('Confirm'),
    t('Your email address is confirmed'),
    [],
  ],
}

/** Runs the action of a mailed link, but only after a click on a button: mail scanners open links, too. */
export function Page({ params: { link = '', token = '' } }: PageProps) {
  const [isDone, setDone] = useState(false)
  const collection = readCollection(token)
  const save = async (_: unknown, { password = '', passwordConfirm = '' }: Passwords) => {
    const accounts = pb.collection(collection ?? '')
    if (link === 'confirm-password-reset')
      await accounts.confirmPasswordReset(token, password, passwordConfirm)
    else if (link === 'confirm-email-change') await accounts.confirmEmailChange(token, password)
    else await accounts.confirmVerification(token)
    setDone(true)
    return ''
  }
  const words = LINKS[link]
  if (!words || !collection) return <BrokenLink />
  const [title, action, done, rows] = words
  const isVerification = link === 'confirm-verification'
  if (isDone)
    return (
      <PageFrame title={done} text={isVerification ? undefined : t('Sign in with it from now on.')}>
        <ButtonLink kind="primary" href={makePageHref('/')}>
          {isVerification ? t('Go to the console') : t('Sign in')}
        </ButtonLink>
      </PageFrame>
    )
  return (
    <PageFrame title={title}>
      <RowsForm draftKey={link} rows={rows} stored={{}} save={save} action={action} />
    </PageFrame>
  )
}

/** Reads the collection id from a mailed token without verifying it. Undefined for an unreadable token. */
function readCollection(token: string): string | undefined {
  try {
    const payload = JSON.parse(
      atob(token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? ''),
    )
    return typeof payload.collectionId === 'string' ? payload.collectionId : undefined
  } catch {
    return undefined
  }
}
