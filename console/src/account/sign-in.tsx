import { type AuthMethodsList, ClientResponseError } from 'pocketbase'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { pb } from '../data/client.ts'
import type { Fault } from '../data/fault.ts'
import { ending } from '../data/session.ts'
import { useSetup } from '../data/setup.ts'
import { useAnswer } from '../data/use/use-answer.ts'
import { forgetFaults, runOneAtATime, useTask } from '../data/use/use-task.ts'
import { loadPageTexts } from '../language/catalogue.ts'
import { t, tx } from '../language/words.ts'
import { TextField } from '../parts/form/field.tsx'
import { Button, Form, Notice } from '../parts/form/form.tsx'
import { makePageHref } from '../router.ts'
import { EmailField, PageFrame } from './page-frame.tsx'
import { findSignInCollection, RoleSwitch, role } from './role-switch.tsx'
import type { Step } from './second-step.tsx'

type Provider = AuthMethodsList['oauth2']['providers'][number]

const WRONG = {
  user: t('Email or password is wrong. Superusers choose “Superuser” above.'),
  superuser: t('Email or password is wrong. If you are no superuser, choose “User” above.'),
} as const
const ENDED = {
  expired: t('Your session has ended. Sign in to go on where you were.'),
  refused: t(
    'Your session has ended. It was signed out elsewhere, the password was changed, or the account was disabled. Sign in to go on where you were.',
  ),
} as const
const DISABLED = t(
  'You cannot sign in: this account is disabled, or no team has you as a member any more. Ask your team, or a superuser of this server.',
)

const UNKNOWN = t(
  'There is no access here for this account, or it is disabled. Ask your team for an invitation.',
)

/** The sign-in form. The URL stays as it is, so that the requested page opens afterwards. */
export function SignIn() {
  const [second, setSecond] = useState<JSX.Element>()
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const show = async (step: Step | undefined) => {
    if (!step) return
    await loadPageTexts()
    const { SecondStep } = await import('./second-step.tsx')
    setSecond(<SecondStep step={step} onBack={() => setSecond(undefined)} />)
  }
  const enter = useTask(async () => show(await signIn(email, password)))
  const byProvider = useTask(async (provider: Provider) =>
    show(await signInByProvider(provider, email)),
  )
  const byPasskey = useTask(async () => {
    await loadPageTexts()
    const { signInByPasskey } = await import('../data/passkeys.ts')
    await signInByPasskey(findSignInCollection())
  })
  const { value: setup } = useSetup()
  const { value: methods } = useAnswer<AuthMethodsList>('/api/collections/users/auth-methods')
  if (second) return second
  const ways = [enter, byProvider, byPasskey]
  const told =
    byPasskey.fault ??
    (byProvider.fault && explainProviderFault(byProvider.fault)) ??
    (enter.fault && explainSignInFault(enter.fault))
  return (
    <PageFrame title={t('Sign in')}>
      {ending.value && <Notice>{describeEnding(ending.value)}</Notice>}
      {setup && !setup.has_superuser && (
        <Notice kind="warning">
          {tx('This server has no superuser yet. {link}, who then creates the users.', {
            link: <a href={makePageHref('/first-superuser')}>{t('Create the first one')}</a>,
          })}
        </Notice>
      )}
      <Form onSubmit={() => runOneAtATime(enter, ways)} fault={told}>
        <RoleSwitch />
        <EmailField value={email} onValue={setEmail} />
        <TextField
          label={t('Password')}
          name="password"
          type="password"
          autocomplete="current-password"
          value={password}
          onValue={setPassword}
        />
        <Button type="submit" kind="primary" busy={enter.busy}>
          {t('Sign in')}
        </Button>
        {setup?.passkey_host === location.hostname && (
          <Button busy={byPasskey.busy} onClick={() => runOneAtATime(byPasskey, ways)}>
            {t('Sign in with a passkey')}
          </Button>
        )}
        {role.value === 'user' &&
          methods?.oauth2.providers.map((provider) => (
            <Button
              key={provider.name}
              onClick={() => {
                forgetFaults(ways)
                void byProvider.run(provider)
              }}
            >
              {t('Sign in with {name}', { name: provider.displayName })}
            </Button>
          ))}
        <a class="aside" href={makePageHref('/forgotten')}>
          {t('Forgotten your password?')}
        </a>
      </Form>
    </PageFrame>
  )
}

const describeEnding = ({ how, account }: NonNullable<typeof ending.value>) =>
  how === 'refused' && account
    ? t(
        'You are signed out of {account}: its team has removed you, or you were signed out elsewhere. If you still belong to the team, sign in again. If not, ask the team for a new invitation.',
        { account },
      )
    : ENDED[how]

function explainSignInFault(fault: Fault): Fault {
  if (fault.status === 400) return { ...fault, message: WRONG[role.value], fields: {} }
  return fault.status === 403 && role.value === 'user' ? { ...fault, message: DISABLED } : fault
}

/** A person whom the provider knows, but who is no user here, and may not become one by signing in. */
const explainProviderFault = (fault: Fault): Fault =>
  fault.status === 403 ? { ...fault, message: UNKNOWN } : fault

/** Signs in. If a second factor is required, returns the step to enter its code, which may be mailed. */
async function signIn(email: string, password: string): Promise<Step | undefined> {
  const collection = pb.collection(findSignInCollection())
  try {
    await collection.authWithPassword(email, password)
    return undefined
  } catch (error) {
    const small = email.toLowerCase()
    // stored addresses keep their case, but a phone's keyboard begins with a capital letter
    if (error instanceof ClientResponseError && error.status === 400 && small !== email)
      return signIn(small, password)
    return beginSecondStep(error, email, t('Sign in'))
  }
}

/** Signs in by an OAuth2 provider, in a window that opens at once: a later one would be blocked. */
async function signInByProvider(
  { name: provider, displayName: name }: Provider,
  email: string,
): Promise<Step | undefined> {
  try {
    await pb.collection('users').authWithOAuth2({ provider })
    return undefined
  } catch (error) {
    return beginSecondStep(error, email, t('Sign in with {name}', { name }))
  }
}

/** The step that a refused sign-in asks for. Throws the error of others, or if the email is missing. */
async function beginSecondStep(error: unknown, email: string, button: string): Promise<Step> {
  const { mfaId, method, passkey } = (error instanceof ClientResponseError && error.response) || {}
  if (!mfaId) throw error
  const step = { mfaId, email, method, hasPasskey: passkey || method === 'passkey' }
  if (method) return { ...step, otpId: mfaId }
  if (!email)
    throw new Error(
      t(
        'The second step is a code by email: enter your email below, then press “{button}” again.',
        {
          button,
        },
      ),
    )
  const { otpId } = await pb.collection(findSignInCollection()).requestOTP(email)
  return { ...step, otpId }
}
