import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { session } from '../../data/session.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { SelectField, TextField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { toast } from '../../parts/toast.tsx'

const TEMPLATES = [
  ['verification', t('Confirm an email address')],
  ['password-reset', t('A forgotten password')],
  ['email-change', t('Another email address')],
  ['otp', t('A code to sign in')],
  ['login-alert', t('A sign-in from a new place')],
] as const

/** Sends a sample of one of the users' mails, with the saved settings. */
export function TestMail({ hasServer, onClose }: { hasServer: boolean; onClose: () => void }) {
  const [email, setEmail] = useState(session.value?.email ?? '')
  const [template, setTemplate] = useState<string>(TEMPLATES[0][0])
  const send = useTask(async () => {
    const body = { email: email.trim(), template, collection: 'users' }
    await pb.send('/api/settings/test/email', { method: 'POST', body })
    toast(
      hasServer
        ? t('The SMTP server took the mail to {email}', { email })
        : t('The mail is in the server’s log'),
    )
    onClose()
  })
  return (
    <Dialog title={t('Send a test mail')} onClose={onClose}>
      <Form onSubmit={send.run} fault={send.fault} names={['email', 'template']}>
        <p class="muted">
          {hasServer
            ? t('It goes out by the settings as they are saved.')
            : t('No SMTP server is set: the mail is written to the server’s log.')}
        </p>
        <TextField
          label={t('To')}
          name="email"
          type="email"
          autocomplete="off"
          value={email}
          onValue={setEmail}
          fault={send.fault}
        />
        <SelectField
          label={t('Which mail')}
          name="template"
          choices={TEMPLATES}
          value={template}
          onValue={setTemplate}
          fault={send.fault}
        />
        <FormActions busy={send.busy} onCancel={onClose}>
          {t('Send')}
        </FormActions>
      </Form>
    </Dialog>
  )
}
