import { useState } from 'preact/hooks'
import { pb } from '../data/client.ts'
import { useTask } from '../data/use/use-task.ts'
import { t } from '../language/words.ts'
import type { PageProps } from '../pages.ts'
import { Button, Form } from '../parts/form/form.tsx'
import { go } from '../router.ts'
import { BrokenLink } from './broken-link.tsx'
import { NO_PASSWORD, PasswordFields } from './password-fields.tsx'
import { EmailField, Sheet } from './sheet.tsx'

/** Creates the first superuser with the token of the link that the first start prints, and signs in. */
export function Page({ params }: PageProps) {
  const [email, setEmail] = useState('')
  const [passwords, setPasswords] = useState(NO_PASSWORD)
  const create = useTask(async () => {
    const headers = { authorization: params.token ?? '' }
    pb.authStore.clear()
    await pb.collection('_superusers').create({ email, ...passwords }, { headers })
    await pb.collection('_superusers').authWithPassword(email, passwords.password)
    go('/users')
  })
  if (create.fault && [401, 403].includes(create.fault.status))
    return (
      <BrokenLink text={t('It is used up or older than 30 minutes. Start the server again for a new one.')} />
    )
  return (
    <Sheet
      title={t('Create the first superuser')}
      text={t('This account may see and change everything on this server.')}
    >
      <Form onSubmit={create.run} fault={create.fault} names={['email', 'password', 'passwordConfirm']}>
        <EmailField value={email} onValue={setEmail} fault={create.fault} />
        <PasswordFields value={passwords} onValue={setPasswords} fault={create.fault} />
        <Button type="submit" kind="primary" busy={create.busy}>
          {t('Create the account')}
        </Button>
      </Form>
    </Sheet>
  )
}
