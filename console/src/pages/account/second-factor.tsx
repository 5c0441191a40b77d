import type { AuthMethodsList } from 'pocketbase'
import { useState } from 'preact/hooks'
import { postRequest } from '../../data/client.ts'
import { describeFault } from '../../data/fault.ts'
import { actForAccount, endedAccount, type Session } from '../../data/session.ts'
import { parseDate } from '../../data/text/local-time.ts'
import { readNowMs } from '../../data/text/now.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useTask } from '../../data/use/use-task.ts'
import { locale } from '../../language/language.ts'
import { formatNumber, t } from '../../language/words.ts'
import { CodeBlock } from '../../parts/code.tsx'
import { Actions, Button, Notice } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'
import { Qr } from '../../parts/qr.tsx'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import { formatDay, OnOffBadge, Time } from '../../parts/time.tsx'
import { runWithToast } from '../../parts/toast.tsx'
import { type OnCodes, Passkeys } from './passkeys.tsx'
import { completeProof, type Factor, makeCodeRow, makeProofRows } from './proof.ts'

const PATH = '/api/account/second-factor'

const UNCOPIED = {
  title: t('Leave without the recovery codes?'),
  text: t('They are shown this once. The second factor is on already.'),
  action: t('Leave without them'),
}

interface Secret {
  readonly secret: string
  readonly url: string
}

/** The second factor of the person: an app and passkeys, or what the collection requires of all. */
export function SecondFactor({ session }: { session: Session }) {
  const path = `/api/collections/${session.record.collectionName}/auth-methods`
  const { value: methods } = useAnswer<AuthMethodsList>(path)
  const { value: factor, reload } = useAnswer<Factor>(PATH)
  // asks before the page is left with codes that were not copied; they are never stored
  const draft = useDraft('recovery-codes', { codes: '' }, { asks: UNCOPIED, secrets: ['codes'] })
  const { codes } = draft.value
  if (!methods || !factor) return null
  const showCodes = async (codes: readonly string[]) => {
    if (codes.length > 0) draft.change({ codes: codes.join('\n') })
    await reload()
  }
  const finish = () => {
    draft.discard()
    const { id, why } = endedAccount.value ?? {}
    // the account may have waited for a second factor
    if (id && why) void runWithToast(() => actForAccount(id))
  }
  const isOn = factor.enabled || methods.mfa.enabled || codes !== ''
  return (
    <Card title={t('Second factor')} actions={<OnOffBadge isOn={isOn} />}>
      {!factor.enabled && <Required by={factor.required_by} />}
      {codes !== '' ? (
        <RecoveryCodes codes={codes} onCopied={finish} />
      ) : (
        <>
          {factor.enabled ? (
            <InUse factor={factor} />
          ) : (
            <p>{isOn ? describeSeconds(methods) : OFF[session.role]}</p>
          )}
          {factor.app ? (
            <RemoveApp factor={factor} onRemoved={reload} />
          ) : (
            <SetUpApp factor={factor} onDone={showCodes} />
          )}
          <Passkeys factor={factor} onChange={showCodes} />
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
    'You sign in without a second factor. Protect your sign-in by the codes of an authenticator app, or by a passkey.',
  ),
  superuser: t(
    'You sign in with your password alone. Protect your sign-in by the codes of an authenticator app, or by a passkey. A mailed code for all superusers is an option of the collection _superusers.',
  ),
} as const

function describeSeconds({ otp, oauth2 }: AuthMethodsList): string {
  const names = oauth2.enabled
    ? oauth2.providers.map(({ displayName, name }) => displayName || name)
    : []
  const ways = [...(otp.enabled ? [t('a mailed code')] : []), ...names]
  return t('After your password you are asked for a second factor: {ways}.', {
    ways: new Intl.ListFormat(locale, { type: 'disjunction' }).format(ways),
  })
}

const SINCE = {
  app: t('A sign-in also asks for a code of your authenticator app, since:'),
  passkeys: t('A sign-in also asks for a passkey, since:'),
  both: t('A sign-in also asks for a code of your authenticator app or a passkey, since:'),
} as const

/** Since when the person has a second factor, and how many recovery codes are left. */
function InUse({ factor: { app, passkeys, since, recovery_codes: left } }: { factor: Factor }) {
  return (
    <>
      <p>
        {SINCE[app && passkeys ? 'both' : app ? 'app' : 'passkeys']} <Time at={since} />
      </p>
      <p>{t('Unused recovery codes: {count}.', { count: formatNumber(left) })}</p>
      {left === 0 && (
        <Notice kind="warning">
          {t(
            'You have no recovery codes left. You get new ones when you set up an authenticator app.',
          )}
        </Notice>
      )}
    </>
  )
}

function RemoveApp({ factor, onRemoved }: { factor: Factor; onRemoved: () => Promise<void> }) {
  const [isRemoving, setRemoving] = useState(false)
  if (!isRemoving) return <Button onClick={() => setRemoving(true)}>{t('Remove the app…')}</Button>
  return (
    <RowsForm
      draftKey="remove-second-factor"
      rows={makeProofRows(factor)}
      stored={{}}
      action={t('Remove the app')}
      save={async (_, all) => {
        await postRequest(`${PATH}/remove`, await completeProof(factor, all))
        await onRemoved()
        return t('The app is removed')
      }}
      onCancel={() => setRemoving(false)}
    />
  )
}

type Step = 'begin' | 'password' | Secret

/** Asks for the password, shows the QR code, and asks for a code of it. */
function SetUpApp({ factor, onDone }: { factor: Factor; onDone: OnCodes }) {
  const [step, setStep] = useState<Step>('begin')
  const start = async (proof: Readonly<Record<string, unknown>>) => {
    setStep(await postRequest<Secret>(PATH, await completeProof(factor, proof)))
    return ''
  }
  const begin = useTask(() => start({}))
  const rows = makeProofRows(factor)
  if (step === 'begin')
    return (
      <>
        {begin.fault && <Notice kind="wrong">{describeFault(begin.fault)}</Notice>}
        <Button
          busy={begin.busy}
          onClick={() => (rows.length === 0 ? void begin.run() : setStep('password'))}
        >
          {t('Set up an authenticator app')}
        </Button>
      </>
    )
  const cancel = () => setStep('begin')
  if (step === 'password')
    return (
      <RowsForm
        draftKey="second-factor"
        rows={rows}
        stored={{}}
        action={t('Continue')}
        save={(_, all) => start(all)}
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
        'Keep these recovery codes where you find them without your phone: they are shown this once. Each replaces your second factor, once.',
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
