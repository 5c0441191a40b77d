import { useState } from 'preact/hooks'
import { pb } from '../data/client.ts'
import { useTask } from '../data/use/use-task.ts'
import { t } from '../language/words.ts'
import type { PageProps } from '../pages.ts'
import { TextField } from '../parts/form/field.tsx'
import { Button, ButtonLink, Form } from '../parts/form/form.tsx'
import { to } from '../router.ts'
import { BrokenLink } from './broken-link.tsx'
import { NO_PASSWORD, PasswordFields } from './password-fields.tsx'
import { Sheet } from './sheet.tsx'

/** What a mailed link is for: its title, its button, and what is said afterwards. */
const LINKS: Readonly<Record<string, readonly [title: string, action: string, done: string]>> = {
  'confirm-password-reset': [t('Set a new password'), t('Set the password'), t('Your new password is set')],
  'confirm-email-change': [
    t('Confirm your new email address'),
    t('Confirm'),
    t('Your new email address is confirmed'),
  ],
  'confirm-verification': [
    t('Confirm your email address'),
    t('Confirm'),
    t('Your email address is confirmed'),
  ],
}

/** Does what a mailed link is for. Needs a click on a button, since mail scanners follow links. */
export function Page({ params: { link = '', token = '' } }: PageProps) {
  const [isDone, setDone] = useState(false)
  const [values, setValues] = useState(NO_PASSWORD)
  const { password, passwordConfirm } = values
  const collection = collectionOf(token)
  const save = useTask(async () => {
    const accounts = pb.collection(collection ?? '')
    if (link === 'confirm-password-reset')
      await accounts.confirmPasswordReset(token, password, passwordConfirm)
    else if (link === 'confirm-email-change') await accounts.confirmEmailChange(token, password)
    else await accounts.confirmVerification(token)
    setDone(true)
  })
  const words = LINKS[link]
  if (!words || !collection) return <BrokenLink />
  const [title, action, done] = words
  const isVerification = link === 'confirm-verification'
  if (isDone)
    return (
      <Sheet title={done} text={isVerification ? undefined : t('Sign in with it from now on.')}>
        <ButtonLink kind="primary" href={to('/')}>
          {isVerification ? t('Go to the console') : t('Sign in')}
        </ButtonLink>
      </Sheet>
    )
  return (
    <Sheet title={title}>
      <Form onSubmit={save.run} fault={save.fault} names={['password', 'passwordConfirm']}>
        {link === 'confirm-password-reset' && (
          <PasswordFields value={values} onValue={setValues} fault={save.fault} />
        )}
        {link === 'confirm-email-change' && (
          <TextField
            label={t('Password')}
            name="password"
            type="password"
            autocomplete="current-password"
            value={password}
            onValue={(password) => setValues({ ...values, password })}
            fault={save.fault}
          />
        )}
        <Button type="submit" kind="primary" busy={save.busy}>
          {action}
        </Button>
      </Form>
    </Sheet>
  )
}

/** The collection of a mailed token, not verified; undefined for an invalid token. */
function collectionOf(token: string): string | undefined {
  try {
    const payload = JSON.parse(atob(token.split('.')[1]?.replaceAll('-', '+').replaceAll('_', '/') ?? ''))
    return typeof payload.collectionId === 'string' ? payload.collectionId : undefined
  } catch {
    return undefined
  }
}
