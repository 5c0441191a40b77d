import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { session } from '../../data/session.ts'
import { useTask } from '../../data/use/use-task.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { SelectField, TextField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { toast } from '../../parts/toast.tsx'

const TEMPLATES = [
  ['verification', 'Confirm an email address'],
  ['password-reset', 'A forgotten password'],
  ['email-change', 'Another email address'],
  ['otp', 'A code to sign in'],
  ['login-alert', 'A sign-in from a new place'],
] as const

/** Mails one of the users' mails to somebody, with the settings as they are saved. */
export function TestMail({ hasServer, onClose }: { hasServer: boolean; onClose: () => void }) {
  const [email, setEmail] = useState(session.value?.email ?? '')
  const [template, setTemplate] = useState<string>(TEMPLATES[0][0])
  const send = useTask(async () => {
    const body = { email: email.trim(), template, collection: 'users' }
    await pb.send('/api/settings/test/email', { method: 'POST', body })
    toast(hasServer ? `The SMTP server took the mail to ${email}` : 'The mail is in the server’s log')
    onClose()
  })
  return (
    <Dialog title="Send a test mail" onClose={onClose}>
      <Form onSubmit={send.run} fault={send.fault} names={['email', 'template']}>
        <p class="muted">
          {hasServer
            ? 'It goes out by the settings as they are saved.'
            : 'No SMTP server is set: the mail is written to the server’s log.'}
        </p>
        <TextField
          label="To"
          name="email"
          type="email"
          autocomplete="off"
          value={email}
          onValue={setEmail}
          fault={send.fault}
        />
        <SelectField
          label="Which mail"
          name="template"
          choices={TEMPLATES}
          value={template}
          onValue={setTemplate}
          fault={send.fault}
        />
        <FormActions busy={send.busy} onCancel={onClose}>
          Send
        </FormActions>
      </Form>
    </Dialog>
  )
}
