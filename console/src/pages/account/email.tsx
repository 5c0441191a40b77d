import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { type Session, signOut } from '../../data/session.ts'
import { NO_MAIL, useSetup } from '../../data/setup.ts'
import { t, tx } from '../../language/words.ts'
import { Notice } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'

/** Changes an email address. A user must confirm the new one by a mailed link, a superuser need not. */
export const EmailCard = ({ session }: { session: Session }) => (
  <Card title={t('Email')}>
    <p>{tx('You sign in as {email}.', { email: <strong>{session.email}</strong> })}</p>
    {session.role === 'superuser' ? <TakeEmail session={session} /> : <RequestEmail />}
  </Card>
)

const rowsFor = (name: string, hint: string): readonly FormRow[] => [
  { name, label: t('New email'), kind: 'email', autocomplete: 'email', hint },
]
const REQUESTED = rowsFor('newEmail', t('The new address gets a link to confirm it.'))
const TAKEN = rowsFor('email', t('You will be signed out everywhere. Sign in with the new email.'))

function RequestEmail() {
  const [sentTo, setSentTo] = useState('')
  const { value: setup } = useSetup()
  const ask = async (_: object, { newEmail }: { newEmail?: unknown }) => {
    await pb.collection('users').requestEmailChange(String(newEmail))
    setSentTo(String(newEmail))
    return ''
  }
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
  return <RowsForm draftKey="new-email" rows={REQUESTED} stored={{}} save={ask} action={t('Send the link')} />
}

function TakeEmail({ session }: { session: Session }) {
  const save = async (_: object, { email }: { email?: unknown }) => {
    await pb.collection('_superusers').update(session.record.id, { email })
    signOut()
    return t('Sign in with {email} now', { email: String(email) })
  }
  return <RowsForm draftKey="new-email" rows={TAKEN} stored={{}} save={save} action={t('Change the email')} />
}
