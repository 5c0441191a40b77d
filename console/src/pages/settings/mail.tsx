import { useState } from 'preact/hooks'
import { type Settings, saveSettings } from '../../data/settings.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/button.tsx'
import { CheckField, TextField } from '../../parts/form/field.tsx'
import { Form, FormActions, Notice } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'
import { bodyOf, draftOf, SMTP_NAMES, SmtpFields } from './smtp-fields.tsx'
import { TestMail } from './test-mail.tsx'

/** The sender of mails, and the SMTP server. */
export function Mail({ settings, onSaved }: { settings: Settings; onSaved: () => Promise<void> }) {
  const { senderName, senderAddress } = settings.meta
  const first = { name: senderName, address: senderAddress, ...draftOf(settings.smtp) }
  const draft = useDraft('settings.mail', first, { asks: true, secrets: ['password'] })
  const { name, address, ...smtp } = draft.value
  const [isTesting, setTesting] = useState(false)
  const save = useTask(async () => {
    await saveSettings({ meta: { senderName: name, senderAddress: address.trim() }, smtp: bodyOf(smtp) })
    draft.saved({ ...draft.value, password: '' })
    toast(t('Mail settings saved'))
    await onSaved()
  })
  return (
    <Card
      title={t('Mail')}
      actions={
        <Button icon="send" onClick={() => setTesting(true)}>
          {t('Send a test mail')}
        </Button>
      }
    >
      <Form
        onSubmit={save.run}
        fault={save.fault}
        names={['meta.senderName', 'meta.senderAddress', ...SMTP_NAMES]}
      >
        <div class="columns">
          <TextField
            label={t('Sender’s name')}
            name="meta.senderName"
            autocomplete="off"
            value={name}
            onValue={(typed) => draft.change({ name: typed })}
            fault={save.fault}
          />
          <TextField
            label={t('Sender’s address')}
            name="meta.senderAddress"
            type="email"
            autocomplete="off"
            value={address}
            onValue={(typed) => draft.change({ address: typed })}
            fault={save.fault}
          />
        </div>
        <CheckField
          label={t('Send mails through an SMTP server')}
          name="smtp.enabled"
          value={smtp.enabled}
          onValue={(enabled) => draft.change({ enabled })}
        />
        {smtp.enabled ? (
          <SmtpFields value={smtp} onValue={draft.change} fault={save.fault} />
        ) : (
          <Notice>{t('Without one, mails are written to the server’s log, links included.')}</Notice>
        )}
        <FormActions busy={save.busy}>{t('Save mail settings')}</FormActions>
      </Form>
      {isTesting && <TestMail hasServer={settings.smtp.enabled} onClose={() => setTesting(false)} />}
    </Card>
  )
}
