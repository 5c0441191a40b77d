import { useState } from 'preact/hooks'
import { pb } from '../data/client.ts'
import { useTask } from '../data/use/use-task.ts'
import { t } from '../language/words.ts'
import type { PageProps } from '../pages.ts'
import { Button } from '../parts/form/button.tsx'
import { TextField } from '../parts/form/field.tsx'
import { Form } from '../parts/form/form.tsx'
import { BrokenLink } from './broken-link.tsx'
import { Done } from './done.tsx'
import { Sheet } from './sheet.tsx'
import { collectionOf } from './token.ts'

/** Confirms a new email address with the password. */
export function Page({ params: { token = '' } }: PageProps) {
  const collection = collectionOf(token)
  const [isDone, setDone] = useState(false)
  const [password, setPassword] = useState('')
  const confirm = useTask(async () => {
    await pb.collection(collection ?? '').confirmEmailChange(token, password)
    setDone(true)
  })
  if (!collection) return <BrokenLink />
  if (isDone) return <Done title={t('Your new email address is confirmed')} />
  return (
    <Sheet title={t('Confirm your new email address')}>
      <Form onSubmit={confirm.run} fault={confirm.fault} names={['password']}>
        <TextField
          label={t('Password')}
          name="password"
          type="password"
          autocomplete="current-password"
          value={password}
          onValue={setPassword}
          fault={confirm.fault}
        />
        <Button type="submit" kind="primary" busy={confirm.busy}>
          {t('Confirm')}
        </Button>
      </Form>
    </Sheet>
  )
}
