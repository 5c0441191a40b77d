import { useState } from 'preact/hooks'
import { pb, personal } from '../data/client.ts'
import { session, signOut } from '../data/session.ts'
import { chooseAccount } from '../data/team/accounts.ts'
import { useTask } from '../data/use/use-task.ts'
import { t } from '../language/words.ts'
import type { PageProps } from '../pages.ts'
import { Button } from '../parts/form/button.tsx'
import { TextField } from '../parts/form/field.tsx'
import { Form } from '../parts/form/form.tsx'
import { go } from '../router.ts'
import { EmailField } from './email-field.tsx'
import { NO_PASSWORD, PasswordFields } from './password-fields.tsx'
import { Sheet } from './sheet.tsx'
import { SignIn } from './sign-in.tsx'

const ACCEPT = '/api/account/invitations/accept'

interface Accepted {
  readonly account: string
}

/** An invitation to a team: an existing user joins with one click, a new person creates a sign-in. */
export function Page({ params: { secret = '' } }: PageProps) {
  const [hasAccount, setHasAccount] = useState(false)
  if (session.value?.role === 'superuser') return <NotAsSuperuser />
  if (session.value) return <Join secret={secret} />
  return hasAccount ? <SignIn /> : <NewPerson secret={secret} onHasAccount={() => setHasAccount(true)} />
}

async function show(person: string, { account }: Accepted): Promise<void> {
  await chooseAccount(person, account)
  go('/', {}, true)
}

function Join({ secret }: { secret: string }) {
  const person = session.value?.person
  const join = useTask(async () => {
    const body = { secret }
    await show(person?.id ?? '', await personal().send<Accepted>(ACCEPT, { method: 'POST', body }))
  })
  return (
    <Sheet
      title={t('Join the team')}
      text={t('You were invited to answer texts together. You keep your own sign-in.')}
    >
      <Form onSubmit={join.run} fault={join.fault}>
        <Button type="submit" kind="primary" busy={join.busy}>
          {t('Join as {email}', { email: String(person?.email ?? '') })}
        </Button>
        <Button kind="quiet" onClick={signOut}>
          {t('Join as somebody else')}
        </Button>
      </Form>
    </Sheet>
  )
}

function NewPerson({ secret, onHasAccount }: { secret: string; onHasAccount: () => void }) {
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [passwords, setPasswords] = useState(NO_PASSWORD)
  const join = useTask(async () => {
    const body = { secret, name, email, ...passwords }
    const accepted = await pb.send<Accepted>(ACCEPT, { method: 'POST', body })
    const { record } = await pb.collection('users').authWithPassword(email, passwords.password)
    await show(record.id, accepted)
  })
  return (
    <Sheet
      title={t('Join the team')}
      text={t('You were invited to answer texts together. Choose how you sign in.')}
    >
      <Form onSubmit={join.run} fault={join.fault} names={['name', 'email', 'password', 'passwordConfirm']}>
        <TextField
          label={t('Your name')}
          name="name"
          autocomplete="name"
          hint={t('The team sees it beside your answers.')}
          value={name}
          onValue={setName}
          fault={join.fault}
        />
        <EmailField value={email} onValue={setEmail} fault={join.fault} />
        <PasswordFields value={passwords} onValue={setPasswords} fault={join.fault} />
        <Button type="submit" kind="primary" busy={join.busy}>
          {t('Join')}
        </Button>
        <Button kind="quiet" onClick={onHasAccount}>
          {t('I have an account here')}
        </Button>
      </Form>
    </Sheet>
  )
}

const NotAsSuperuser = () => (
  <Sheet
    title={t('Join the team')}
    text={t('You are signed in as a superuser, who does not send. Sign out and join as a user.')}
  >
    <Button kind="primary" onClick={signOut}>
      {t('Sign out')}
    </Button>
  </Sheet>
)
