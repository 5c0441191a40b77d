import { pb } from '../../data/client.ts'
import { session } from '../../data/session.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import type { FormRow } from '../../parts/rows/rows.ts'
import { RowsForm } from '../../parts/rows/rows-form.tsx'

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
export function TestMail({ hasServer, onClose }: { hasServer: boolean; onClose: () => void }) {
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
