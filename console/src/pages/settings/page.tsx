import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { session } from '../../data/session.ts'
import { useSettings } from '../../data/settings.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { t, tx } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Button } from '../../parts/form/button.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { Page as Frame } from '../../parts/page.tsx'
import type { FormRow } from '../../parts/rows/rows.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import { SettingsCard } from '../../parts/rows/settings-card.tsx'
import { Loading } from '../../parts/wait.tsx'
import { LIMITS, MAIL, NAMING, PROXY, superusers } from './parts.tsx'
import { Rules } from './rules.tsx'
import './page.css'

/** The answer of `GET /api/health` to superusers. */
interface Health {
  readonly data: { readonly realIP?: string; readonly possibleProxyHeader?: string }
}

/** Settings of superusers. Each card is saved separately. */
export function Page() {
  const { value: settings, fault, reload } = useSettings()
  const { value: health, reload: askAgain } = useAnswer<Health>('/api/health')
  const [isTesting, setTesting] = useState(false)
  const own = health?.data.realIP ?? ''
  const seen = health?.data.possibleProxyHeader
  const test = (
    <Button icon="send" onClick={() => setTesting(true)}>
      {t('Send a test mail')}
    </Button>
  )
  return (
    <Frame
      title={t('Settings')}
      text={t('They count from the moment they are saved, on all servers of this database.')}
    >
      {fault && <Notice kind="wrong">{fault.message}</Notice>}
      {!settings && !fault && <Loading />}
      {settings && (
        <>
          <SettingsCard part={NAMING} settings={settings} />
          <SettingsCard part={MAIL} settings={settings} actions={test} onSaved={reload} />
          <div class="columns">
            <SettingsCard part={LIMITS} settings={settings}>
              <Rules first={settings.rateLimits.rules} />
            </SettingsCard>
            <SettingsCard part={PROXY} settings={settings} onSaved={askAgain}>
              <p class="muted">
                {tx(
                  'To the server, your own address is {address}. If it is not, name your proxies in TRUSTED_PROXIES of the server, or a header here.',
                  { address: <strong class="mono">{own || '…'}</strong> },
                )}
                {seen && ` ${t('Your requests have the header {seen}.', { seen })}`}
              </p>
            </SettingsCard>
          </div>
          <SettingsCard part={superusers(own)} settings={settings} />
          {isTesting && <TestMail hasServer={settings.smtp.enabled} onClose={() => setTesting(false)} />}
        </>
      )}
    </Frame>
  )
}

const ROWS: readonly FormRow[] = [
  { name: 'email', label: t('To'), kind: 'email', autocomplete: 'off' },
  {
    ...{ name: 'template', label: t('Which mail'), kind: 'select' },
    choices: [
      ['verification', t('Confirm an email address')],
      ['password-reset', t('A forgotten password')],
      ['email-change', t('Another email address')],
      ['otp', t('A code to sign in')],
      ['login-alert', t('A sign-in from a new place')],
    ],
  },
]

/** Sends a sample of one of the users' mails, with the saved settings. */
function TestMail({ hasServer, onClose }: { hasServer: boolean; onClose: () => void }) {
  const send = async (_: object, { email, template }: { email?: unknown; template?: unknown }) => {
    const body = { email: String(email).trim(), template, collection: 'users' }
    await pb.send('/api/settings/test/email', { method: 'POST', body })
    return hasServer
      ? t('The SMTP server took the mail to {email}', { email: body.email })
      : t('The mail is in the server’s log')
  }
  return (
    <Dialog title={t('Send a test mail')} onClose={onClose}>
      <p class="muted">
        {hasServer
          ? t('It goes out by the settings as they are saved.')
          : t('No SMTP server is set: the mail is written to the server’s log.')}
      </p>
      <RowsForm
        draftKey="settings.test-mail"
        rows={ROWS}
        stored={{ email: session.value?.email, template: 'verification' }}
        {...{ save: send, action: t('Send'), onDone: onClose, onCancel: onClose }}
      />
    </Dialog>
  )
}
