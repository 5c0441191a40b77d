import { type Settings, saveSettings } from '../../data/settings.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { TextField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'

/** The default value, which counts as not set: the server then uses PUBLIC_URL. */
const UNSET_URL = 'http://localhost:8090'

/** The server's name in mails, and the URL of their links. */
export function Naming({ settings: { meta } }: { settings: Settings }) {
  const first = { name: meta.appName, url: meta.appURL === UNSET_URL ? '' : meta.appURL }
  const draft = useDraft('settings.naming', first, { asks: true })
  const { name, url } = draft.value
  const save = useTask(async () => {
    await saveSettings({ meta: { appName: name, appURL: url.trim() || UNSET_URL } })
    draft.saved()
    toast(t('Name and address saved'))
  })
  return (
    <Card title={t('Name and address')}>
      <Form onSubmit={save.run} fault={save.fault} names={['meta.appName', 'meta.appURL']}>
        <TextField
          label={t('Name of this service')}
          name="meta.appName"
          hint={t('Your users read it in mails.')}
          autocomplete="off"
          value={name}
          onValue={(typed) => draft.change({ name: typed })}
          fault={save.fault}
        />
        <TextField
          label={t('Address')}
          name="meta.appURL"
          type="url"
          hint={t('Where links in mails lead. Empty: to PUBLIC_URL of the server.')}
          placeholder="https://sms.example.com"
          autocomplete="off"
          value={url}
          onValue={(typed) => draft.change({ url: typed })}
          fault={save.fault}
        />
        <FormActions busy={save.busy}>{t('Save name and address')}</FormActions>
      </Form>
    </Card>
  )
}
