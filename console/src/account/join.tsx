import { useEffect, useState } from 'preact/hooks'
import { findPersonalClient, pb, postRequest } from '../data/client.ts'
import { type Fault, readFault } from '../data/fault.ts'
import type { MemberRole } from '../data/record-types.ts'
import { session, signOut } from '../data/session.ts'
import { chooseAccount } from '../data/team/chosen-account.ts'
import { ROLE_WORDS } from '../data/team/team.ts'
import { useTask } from '../data/use/use-task.ts'
import { t } from '../language/words.ts'
import { Button, Form } from '../parts/form/form.tsx'
import { Loading } from '../parts/page.tsx'
import type { FormRow } from '../parts/rows/form-row.ts'
import { RowsForm } from '../parts/rows/rows-form.tsx'
import { goToPage, type PageProps } from '../router.ts'
import { BrokenLink } from './broken-link.tsx'
import { PageFrame } from './page-frame.tsx'
import { EMAIL_ROW, makeNewPasswordRows } from './password-fields.ts'
import { SignIn } from './sign-in.tsx'

const ACCEPT = '/api/account/invitations/accept'
const SHOW = '/api/account/invitations/show'

interface Accepted {
  readonly account: string
}

interface Invitation {
  readonly account: string
  readonly inviter: string
  readonly role: MemberRole
}

/** The page of an invitation to a team. People without an account choose a password to join. */
export function Page({ params: { secret = '' } }: PageProps) {
  const [hasAccount, setHasAccount] = useState(false)
  const [shown, setShown] = useState<Invitation | Fault>()
  useEffect(() => {
    postRequest<Invitation>(SHOW, { secret }).then(setShown, (error) => setShown(readFault(error)))
  }, [secret])
  if (!shown) return <Loading />
  if ('message' in shown) return <BrokenLink text={shown.message} />
  if (session.value?.role === 'superuser') return <NotAsSuperuser />
  const { account, inviter, role } = shown
  const invited = t('{inviter} invites you to answer the texts of {account}, as: {role}.', {
    inviter: inviter || account,
    account,
    role: ROLE_WORDS[role],
  })
  if (session.value) return <Join secret={secret} invited={invited} />
  return hasAccount ? (
    <SignIn />
  ) : (
    <NewPerson secret={secret} invited={invited} onHasAccount={() => setHasAccount(true)} />
  )
}

async function showAccount(person: string, { account }: Accepted): Promise<void> {
  await chooseAccount(person, account)
  goToPage('/', {}, true)
}

function Join({ secret, invited }: { secret: string; invited: string }) {
  const person = session.value?.person
  const join = useTask(async () => {
    const body = { secret }
    await showAccount(
      person?.id ?? '',
      await findPersonalClient().send<Accepted>(ACCEPT, { method: 'POST', body }),
    )
  })
  return (
    <PageFrame title={t('Join the team')} text={`${invited} ${t('You keep your own sign-in.')}`}>
      <Form onSubmit={join.run} fault={join.fault}>
        <Button type="submit" kind="primary" busy={join.busy}>
          {t('Join as {email}', { email: String(person?.email ?? '') })}
        </Button>
        <Button kind="quiet" onClick={signOut}>
          {t('Join as somebody else')}
        </Button>
      </Form>
    </PageFrame>
  )
}

function NewPerson({
  secret,
  invited,
  onHasAccount,
}: {
  secret: string
  invited: string
  onHasAccount: () => void
}) {
  const [needsCode, setNeedsCode] = useState(false)
  const join = async (_: unknown, person: Readonly<Record<string, unknown>>) => {
    const accepted = await postRequest<Accepted>(ACCEPT, { secret, ...person }).catch((error) => {
      if (readFault(error).fields.code) setNeedsCode(true)
      throw error
    })
    if (person.code) {
      // the code is used up: the sign-in asks for the next one
      goToPage('/', {}, true)
      return ''
    }
    const { email, password } = person
    const { record } = await pb
      .collection('users')
      .authWithPassword(String(email), String(password))
    await showAccount(record.id, accepted)
    return ''
  }
  return (
    <PageFrame title={t('Join the team')} text={`${invited} ${t('Choose how you sign in.')}`}>
      <RowsForm
        draftKey="join"
        rows={needsCode ? [...NEW_PERSON, CODE_ROW] : NEW_PERSON}
        stored={{}}
        save={join}
        action={t('Join')}
      >
        <Button kind="quiet" onClick={onHasAccount}>
          {t('I have an account here')}
        </Button>
      </RowsForm>
    </PageFrame>
  )
}

const NEW_PERSON: readonly FormRow[] = [
  {
    name: 'name',
    label: t('Your name'),
    autocomplete: 'name',
    hint: t('The team sees your name beside your answers.'),
  },
  EMAIL_ROW,
  ...makeNewPasswordRows(t('Password')),
]

const CODE_ROW: FormRow = {
  name: 'code',
  label: t('Code'),
  autocomplete: 'one-time-code',
  spellcheck: false,
  hint: t('Of the app, or a recovery code.'),
}

const NotAsSuperuser = () => (
  <PageFrame
    title={t('Join the team')}
    text={t('You are signed in as a superuser, who does not send. Sign out and join as a user.')}
  >
    <Button kind="primary" onClick={signOut}>
      {t('Sign out')}
    </Button>
  </PageFrame>
)
