import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { type Session, signOut } from '../../data/session.ts'
import { NO_MAIL, useSetup } from '../../data/setup.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t, tx } from '../../language/words.ts'
import { TextField } from '../../parts/form/field.tsx'
import { Form, FormActions, Notice } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'

/** The address of an account. A mailed link confirms a user's new one; a superuser's counts at once. */
export const EmailCard = ({ session }: { session: Session }) => (
  <Card title={t('Email')}>
    <p>{tx('You sign in as {email}.', { email: <strong>{session.email}</strong> })}</p>
    {session.role === 'superuser' ? <TakeEmail session={session} /> : <RequestEmail />}
  </Card>
)

function RequestEmail() {
  const [newEmail, setNewEmail] = useState('')
  const [sentTo, setSentTo] = useState('')
  const { value: setup } = useSetup()
  const ask = useTask(async () => {
    await pb.collection('users').requestEmailChange(newEmail)
    setSentTo(newEmail)
  })
  if (setup?.sends_mail === false)
    return (
      <Notice kind="warning">
        {NO_MAIL} {t('A superuser can change your address on the page Users.')}
      </Notice>
    )
  if (sentTo)
    return (
      <Notice>
        {t('A link is on its way to {sentTo}. Open it to confirm the address; until then nothing changes.', {
          sentTo,
        })}
      </Notice>
    )
  return (
    <Form onSubmit={ask.run} fault={ask.fault} names={['newEmail']}>
      <TextField
        label={t('New email')}
        name="newEmail"
        type="email"
        autocomplete="email"
        hint={t('It gets a link to confirm it.')}
        value={newEmail}
        onValue={setNewEmail}
        fault={ask.fault}
      />
      <FormActions busy={ask.busy}>{t('Send the link')}</FormActions>
    </Form>
  )
}

function TakeEmail({ session }: { session: Session }) {
  const [email, setEmail] = useState('')
  const save = useTask(async () => {
    await pb.collection('_superusers').update(session.record.id, { email })
    toast(t('Sign in with {email} now', { email }))
    signOut()
  })
  return (
    <Form onSubmit={save.run} fault={save.fault} names={['email']}>
      <TextField
        label={t('New email')}
        name="email"
        type="email"
        autocomplete="email"
        hint={t('All sessions end; you sign in with it.')}
        value={email}
        onValue={setEmail}
        fault={save.fault}
      />
      <FormActions busy={save.busy}>{t('Change the email')}</FormActions>
    </Form>
  )
}
