import { useRef } from 'preact/hooks'
import type { Template } from '../../data/records.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { VariableButtons } from '../../parts/form/variable-buttons.tsx'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { SuggestPlainText } from '../../parts/suggest-plain-text.tsx'
import { TemplatePreview } from './template-preview.tsx'

/** Creates or edits a template, beside a preview. */
export function TemplateForm({ template, onClose }: { template: Template | undefined; onClose: () => void }) {
  const area = useRef<HTMLTextAreaElement>(null)
  return (
    <Dialog title={template ? t('Change the template') : t('New template')} onClose={onClose} wide>
      <RecordForm
        collection="sms_templates"
        record={template}
        rows={[
          { name: 'name', label: t('Name'), autofocus: true },
          {
            ...{ name: 'body', label: t('Text'), rows: 5, inputRef: area },
            hint: t(
              "Two braces on either side make a variable: {{code}}. {{name}}, {{phone}} and fields such as {{city}} are each contact's own; {{name|there}} has a default for who has none.",
            ),
          },
          ({ values, change }) => {
            const props = { text: String(values.body), onText: (body: string) => change({ body }) }
            return (
              <>
                <SuggestPlainText {...props} />
                <VariableButtons {...props} area={area} />
                <TemplatePreview body={props.text} />
              </>
            )
          },
        ]}
        saved={t('Template saved')}
        {...{ onSaved: onClose, onCancel: onClose }}
      />
    </Dialog>
  )
}
