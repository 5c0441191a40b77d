import { useRef } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import type { Template } from '../../data/records.ts'
import { userId } from '../../data/session.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { TextArea, TextField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { VariableButtons } from '../../parts/form/variable-buttons.tsx'
import { SuggestPlainText } from '../../parts/suggest-plain-text.tsx'
import { toast } from '../../parts/toast.tsx'
import { TemplatePreview } from './template-preview.tsx'

/** Creates or edits a template, beside a preview. */
export function TemplateForm({ template, onClose }: { template: Template | undefined; onClose: () => void }) {
  const first = { name: template?.name ?? '', body: template?.body ?? '' }
  const draft = useDraft(`template.${template?.id ?? 'new'}`, first)
  const { name, body } = draft.value
  const setBody = (text: string) => draft.change({ body: text })
  const area = useRef<HTMLTextAreaElement>(null)
  const save = useTask(async () => {
    if (template) await pb.collection('sms_templates').update(template.id, { name, body })
    else await pb.collection('sms_templates').create({ user: userId(), name, body })
    draft.saved()
    toast(t('Template saved'))
    onClose()
  })
  const cancel = () => {
    draft.discard()
    onClose()
  }
  return (
    <Dialog title={template ? t('Change the template') : t('New template')} onClose={onClose} wide>
      <Form onSubmit={save.run} fault={save.fault} names={['name', 'body']}>
        <TextField
          label={t('Name')}
          name="name"
          value={name}
          onValue={(typed) => draft.change({ name: typed })}
          fault={save.fault}
          autofocus
        />
        <TextArea
          label={t('Text')}
          name="body"
          value={body}
          onValue={setBody}
          fault={save.fault}
          inputRef={area}
          rows={5}
          hint={t(
            "Two braces on either side make a variable: {{code}}. {{name}}, {{phone}} and fields such as {{city}} are each contact's own; {{name|there}} has a default for who has none.",
          )}
        />
        <SuggestPlainText text={body} onText={setBody} />
        <VariableButtons text={body} onText={setBody} area={area} />
        <TemplatePreview body={body} />
        <FormActions busy={save.busy} onCancel={cancel}>
          {t('Save')}
        </FormActions>
      </Form>
    </Dialog>
  )
}
