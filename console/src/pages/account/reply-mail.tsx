import { NO_MAIL, useSetup } from '../../data/setup.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useTask } from '../../data/use/use-task.ts'
import { ownSettings, saveOwnSettings } from '../../data/user-settings/own.ts'
import { t } from '../../language/words.ts'
import { TextField } from '../../parts/form/field.tsx'
import { Form, FormActions, Notice } from '../../parts/form/form.tsx'
import { toast } from '../../parts/toast.tsx'
import { Loading } from '../../parts/wait.tsx'

/** The setting for mails about unanswered texts, in minutes. */
export function ReplyMail() {
  const { value: setup } = useSetup()
  const draft = useDraft('reply-mail', { minutes: null as string | null }, { asks: true })
  const minutes = draft.value.minutes ?? String(ownSettings.value?.reply_mail_minutes ?? 0)
  const save = useTask(async () => {
    await saveOwnSettings({ reply_mail_minutes: Number(minutes) })
    draft.saved({ minutes: null })
    toast(t('Saved'))
  })
  if (ownSettings.value === undefined) return <Loading />
  if (setup?.sends_mail === false) return <Notice kind="warning">{NO_MAIL}</Notice>
  return (
    <Form onSubmit={save.run} fault={save.fault} names={['reply_mail_minutes']}>
      <TextField
        label={t('Mail me about texts without an answer after (minutes)')}
        name="reply_mail_minutes"
        type="number"
        min={0}
        value={minutes}
        onValue={(typed) => draft.set({ minutes: typed })}
        hint={t('0: no mail. Your address must be confirmed. The mail names who waits, without the texts.')}
        fault={save.fault}
      />
      <FormActions busy={save.busy}>{t('Save')}</FormActions>
    </Form>
  )
}
