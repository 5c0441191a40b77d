import { type Settings, saveSettings } from '../../data/settings.ts'
import { useAnswer } from '../../data/use/use-answer.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { TextArea } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { Card } from '../../parts/page.tsx'
import { toast } from '../../parts/toast.tsx'

const NAME = 'superuserIPs'

/**
 * The addresses that superusers may use. Asks for confirmation if the present one is not among them: it
 * would be locked out at once.
 */
export function SuperuserPlaces({ settings }: { settings: Settings }) {
  const draft = useDraft('settings.superusers', settings.superuserIPs.join('\n'), { asks: true })
  const text = draft.value
  const { value: health } = useAnswer<{ data: { realIP?: string } }>('/api/health')
  const own = health?.data.realIP ?? ''
  const save = useTask(async () => {
    const superuserIPs = text.split(/[\s,]+/).filter(Boolean)
    const isSafe = superuserIPs.length === 0 || superuserIPs.includes(own)
    if (!isSafe && !(await confirmed(questionFor(own)))) return
    await saveSettings({ superuserIPs })
    draft.saved()
    toast(t('Addresses saved'))
  })
  // the fault's field name has the index of the wrong address
  const wrong = Object.entries(save.fault?.fields ?? {}).find(([name]) => name.startsWith(NAME))
  return (
    <Card title={t('Where superusers come from')}>
      <Form onSubmit={save.run} fault={save.fault} names={wrong?.slice(0, 1)}>
        <TextArea
          label={t('Addresses of superusers')}
          name={NAME}
          hint={t('One a line, or a subnet such as 10.0.0.0/8. Empty: from anywhere. Your own is {own}.', {
            own: own || '…',
          })}
          rows={2}
          spellcheck={false}
          value={text}
          onValue={draft.set}
          error={wrong?.[1]}
        />
        <FormActions busy={save.busy}>{t('Save addresses')}</FormActions>
      </Form>
    </Card>
  )
}

const questionFor = (own: string) => ({
  title: t('Is your own address among them?'),
  text: t(
    '{own} is not in the list as it stands. If no subnet there has it, you are locked out at once, and only somebody at one of these addresses can change that.',
    { own },
  ),
  action: t('Save anyway'),
  danger: true,
})
