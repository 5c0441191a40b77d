import { useState } from 'preact/hooks'
import { pb } from '../data/client.ts'
import { useTask } from '../data/use/use-task.ts'
import { t } from '../language/words.ts'
import type { PageProps } from '../pages.ts'
import { Button } from '../parts/form/button.tsx'
import { Form } from '../parts/form/form.tsx'
import { BrokenLink } from './broken-link.tsx'
import { Done } from './done.tsx'
import { NO_PASSWORD, PasswordFields } from './password-fields.tsx'
import { Sheet } from './sheet.tsx'
import { collectionOf } from './token.ts'

/** Sets a new password, by a mailed link. */
export function Page({ params: { token = '' } }: PageProps) {
  const collection = collectionOf(token)
  const [isDone, setDone] = useState(false)
  const [passwords, setPasswords] = useState(NO_PASSWORD)
  const save = useTask(async () => {
    const { password, passwordConfirm } = passwords
    await pb.collection(collection ?? '').confirmPasswordReset(token, password, passwordConfirm)
    setDone(true)
  })
  if (!collection) return <BrokenLink />
  if (isDone) return <Done title={t('Your new password is set')} />
  return (
    <Sheet title={t('Set a new password')}>
      <Form onSubmit={save.run} fault={save.fault} names={['password', 'passwordConfirm']}>
        <PasswordFields value={passwords} onValue={setPasswords} fault={save.fault} />
        <Button type="submit" kind="primary" busy={save.busy}>
          {t('Set the password')}
        </Button>
      </Form>
    </Sheet>
  )
}
