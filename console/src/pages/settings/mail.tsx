import { postRequest } from '../../data/client.ts'
import { session } from '../../data/session.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Notice } from '../../parts/form/form.tsx'
import type { FormRow } from '../../parts/rows/form-row.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'
import { NO_AUTOFILL, type SettingsPart } from '../../parts/rows/settings-card.tsx'
import type { Values } from '../../parts/rows/values.ts'

const hasMailServer = (values: Values) => values['smtp.enabled'] === true

export const MAIL: SettingsPart = {
  key: 'settings.mail',
  title: t('Mail'),
  action: t('Save mail settings'),
  saved: t('Mail settings saved'),
  rows: [
    [
      { name: 'meta.senderName', label: t('Sender’s name'), ...NO_AUTOFILL },
      { name: 'meta.senderAddress', label: t('Sender’s address'), kind: 'email', ...NO_AUTOFILL },
    ],
    { name: 'smtp.enabled', label: t('Send mails through an SMTP server'), kind: 'check' },
    ({ values }) =>
      !hasMailServer(values) && (
        <Notice>{t('Without one, mails are written to the server’s log, links included.')}</Notice>
      ),
    [
      { name: 'smtp.host', label: t('SMTP server'), shown: hasMailServer, ...NO_AUTOFILL },
      {
        name: 'smtp.port',
        label: t('Port'),
        kind: 'number',
        min: 1,
        max: 65535,
        shown: hasMailServer,
      },
    ],
    [
      { name: 'smtp.username', label: t('User name'), shown: hasMailServer, ...NO_AUTOFILL },
      {
        name: 'smtp.password',
        label: t('Password'),
        kind: 'password',
        shown: hasMailServer,
        autocomplete: 'new-password',
        hint: t('Empty: the stored value stays.'),
      },
    ],
    [
      {
        name: 'smtp.tls',
        label: t('Encryption'),
        kind: 'select',
        shown: hasMailServer,
        choices: [
          ['', t('STARTTLS, if offered (587)')],
          ['tls', t('TLS from the start (465)')],
        ],
        read: (tls) => (tls ? 'tls' : ''),
        write: (choice) => choice !== '',
      },
      {
        name: 'smtp.authMethod',
        label: t('Sign-in method'),
        kind: 'select',
        shown: hasMailServer,
        choices: [
          ['', 'PLAIN'],
          ['LOGIN', t('LOGIN (Outlook)')],
        ],
        read: (method) => (method === 'LOGIN' ? 'LOGIN' : ''),
      },
    ],
  ],
}

const ROWS: readonly FormRow[] = [
  { name: 'email', label: t('To'), kind: 'email', autocomplete: 'off' },
  {
    name: 'template',
    label: t('Which mail'),
    kind: 'select',
    choices: [
      ['verification', t('Confirm an email address')],
      ['password-reset', t('A forgotten password')],
      ['email-change', t('Another email address')],
      ['otp', t('A code to sign in')],
      ['login-alert', t('A sign-in from a new place')],
    ],
  },
]

export function TestMail({ hasServer, onClose }: { hasServer: boolean; onClose: () => void }) {
  const send = async (_: object, { email, template }: { email?: unknown; template?: unknown }) => {
    const body = { email: String(email).trim(), template, collection: 'users' }
    await postRequest('/api/settings/test/email', body)
    return hasServer
      ? t('The SMTP server took the mail to {email}', { email: body.email })
      : t('The mail is in the server’s log')
  }
  return (
    <Dialog title={t('Send a test mail')} onClose={onClose}>
      <p class="muted">
        {hasServer
          ? t('The test mail goes out by the saved settings.')
          : t('No SMTP server is set: the mail is written to the server’s log.')}
      </p>
      <RowsForm
        draftKey="settings.test-mail"
        rows={ROWS}
        stored={{ email: session.value?.email, template: 'verification' }}
        save={send}
        action={t('Send')}
        onDone={onClose}
        onCancel={onClose}
      />
    </Dialog>
  )
}
