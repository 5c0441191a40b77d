import type { AuthMethodsList } from 'pocketbase'
import { useState } from 'preact/hooks'
import { makePasswordRow } from '../../account/password-fields.ts'
import { postRequest } from '../../data/client.ts'
import type { Session } from '../../data/session.ts'
import { parseDate } from '../../data/text/local-time.ts'
import { readNowMs } from '../../data/text/now.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { locale } from '../../language/language.ts'
import { formatNumber, t } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Actions, Button, Notice } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'
import { Qr } from '../../parts/qr.tsx'
import type { FieldRow } from '../../parts/rows/form-row.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import { formatDay, OnOffBadge, Time } from '../../parts/time.tsx'

const PATH = '/api/account/second-factor'

interface Factor {
  readonly enabled: boolean
  readonly since: string
  readonly recovery_codes: number
  readonly required_by: readonly { readonly name: string; readonly from: string }[]
}

interface Secret {
  readonly secret: string
  readonly url: string
}

const PASSWORD_ROW: FieldRow = {
  ...makePasswordRow('password', t('Your password')),
  refused: t('This is not your password.'),
}
const makeCodeRow = (hint: string): FieldRow => ({
  name: 'code',
  label: t('Code'),
  autocomplete: 'one-time-code',
  spellcheck: false,
  hint,
})

/** The second factor of the person: an authenticator app, or what the collection requires of all. */
export function SecondFactor({ session }: { session: Session }) {
  const path = `/api/collections/${session.record.collectionName}/auth-methods`
  const { value: methods } = useAnswer<AuthMethodsList>(path)
  const { value: factor, reload } = useAnswer<Factor>(PATH)
  // asks before the page is left with codes that were not copied; they are never stored
  const draft = useDraft('recovery-codes', { codes: '' }, { asks: true, secrets: ['codes'] })
  const { codes } = draft.value
  if (!methods || !factor) return null
  const isOn = factor.enabled || methods.mfa.enabled || codes !== ''
  return (
    <Card title={t('Second factor')} actions={<OnOffBadge isOn={isOn} />}>
      {!factor.enabled && <Required by={factor.required_by} />}
      {codes !== '' ? (
        <RecoveryCodes codes={codes} onCopied={draft.discard} />
      ) : factor.enabled ? (
        <AppInUse factor={factor} onRemoved={reload} />
      ) : (
        <>
          <p>{isOn ? describeSeconds(methods) : OFF[session.role]}</p>
          <SetUpApp
            onDone={async (codes) => {
              draft.change({ codes: codes.join('\n') })
              await reload()
            }}
          />
        </>
      )}
    </Card>
  )
}

const Required = ({ by }: { by: Factor['required_by'] }) =>
  by.map(({ name, from }) => (
    <Notice key={name} kind="warning">
      {parseDate(from) <= readNowMs()
        ? t('The account {name} opens only once you have set up a second factor.', { name })
        : t('From {day} on, the account {name} opens only with a second factor.', {
            name,
            day: formatDay(from),
          })}
    </Notice>
  ))

const OFF = {
  user: t(
    'You sign in with your password alone. Protect your sign-in by the codes of an authenticator app on your phone.',
  ),
  superuser: t(
    'You sign in with your password alone. Protect your sign-in by the codes of an authenticator app on your phone. A mailed code for all superusers is an option of the collection _superusers.',
  ),
} as const

function describeSeconds({ otp, oauth2 }: AuthMethodsList): string {
  const names = oauth2.enabled
    ? oauth2.providers.map(({ displayName, name }) => displayName || name)
    : []
  const ways = [...(otp.enabled ? [t('a mailed code')] : []), ...names]
  return t('After your password you are asked for a second proof: {ways}.', {
    ways: new Intl.ListFormat(locale, { type: 'disjunction' }).format(ways),
  })
}

function AppInUse({ factor, onRemoved }: { factor: Factor; onRemoved: () => Promise<void> }) {
  const [isRemoving, setRemoving] = useState(false)
  const left = factor.recovery_codes
  return (
    <>
      <p>
        {t('After your password you are asked for a code of your authenticator app, since:')}{' '}
        <Time at={factor.since} />
      </p>
      <p>{t('Unused recovery codes: {count}.', { count: formatNumber(left) })}</p>
      {left === 0 && (
        <Notice kind="warning">
          {t(
            'You have no recovery codes left. Remove the app and set it up again to get new ones.',
          )}
        </Notice>
      )}
      {isRemoving ? (
        <RowsForm
          draftKey="remove-second-factor"
          rows={[PASSWORD_ROW, makeCodeRow(t('Of the app, or a recovery code.'))]}
          stored={{}}
          action={t('Remove the app')}
          save={async (_, all) => {
            await postRequest(`${PATH}/remove`, all)
            await onRemoved()
            return t('You sign in with your password alone now')
          }}
          onCancel={() => setRemoving(false)}
        />
      ) : (
        <Button onClick={() => setRemoving(true)}>{t('Remove the app…')}</Button>
      )}
    </>
  )
}

type Step = 'begin' | 'password' | Secret

/** Asks for the password, shows the QR code, and asks for a code of it. */
function SetUpApp({ onDone }: { onDone: (codes: readonly string[]) => Promise<void> }) {
  const [step, setStep] = useState<Step>('begin')
  if (step === 'begin')
    return <Button onClick={() => setStep('password')}>{t('Set up an authenticator app')}</Button>
  const cancel = () => setStep('begin')
  if (step === 'password')
    return (
      <RowsForm
        draftKey="second-factor"
        rows={[PASSWORD_ROW]}
        stored={{}}
        action={t('Continue')}
        save={async (_, all) => {
          setStep(await postRequest<Secret>(PATH, all))
          return ''
        }}
        onCancel={cancel}
      />
    )
  return (
    <>
      <p>{t('Scan this with the app, or type the secret into it.')}</p>
      <Qr text={step.url} label={t('QR code for your authenticator app')} />
      <CodeBlock code={step.secret} />
      <RowsForm
        draftKey="second-factor-code"
        rows={[makeCodeRow(t('The six digits that the app shows now.'))]}
        stored={{}}
        action={t('Switch on')}
        save={async (_, all) => {
          const made = await postRequest<{ readonly recovery_codes: readonly string[] }>(
            `${PATH}/confirm`,
            all,
          )
          await onDone(made.recovery_codes)
          return ''
        }}
        onCancel={cancel}
      />
    </>
  )
}

const RecoveryCodes = ({ codes, onCopied }: { codes: string; onCopied: () => void }) => (
  <>
    <Notice kind="warning">
      {t(
        'Keep these recovery codes where you find them without your phone: they are shown this once. Each replaces a code of the app, once.',
      )}
    </Notice>
    <CodeBlock code={codes} />
    <Actions>
      <Button kind="primary" onClick={onCopied}>
        {t('I have copied them')}
      </Button>
    </Actions>
  </>
)
