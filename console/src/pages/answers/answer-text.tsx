import type { Fault } from '../../data/fault.ts'
import type { Template } from '../../data/records.ts'
import { formatTextSize } from '../../data/text/text-size.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { SelectField, TextArea } from '../../parts/form/field.tsx'
import type { TypedAnswer } from './answer-form.tsx'

const MOST_TEMPLATES = 500

/** The answer: a text, or a template if there are any. */
export function AnswerText({
  typed: { body, template },
  onChange,
  fault,
}: {
  typed: TypedAnswer
  onChange: (part: Partial<TypedAnswer>) => void
  fault: Fault | undefined
}) {
  const { items } = useList<Template>('sms_templates', { sort: 'name', perPage: MOST_TEMPLATES })
  const { size, reason } = formatTextSize(body)
  return (
    <>
      {items.length > 0 && (
        <SelectField
          label={t('Answer with')}
          name="template"
          value={template}
          onValue={(id) => onChange({ template: id })}
          fault={fault}
          choices={[
            ['', t('A text')],
            ...items.map(({ id, name }) => [id, t('Template {name}', { name })] as const),
          ]}
          hint={items.find(({ id }) => id === template)?.body}
        />
      )}
      {template === '' && (
        <TextArea
          label={t('Answer')}
          name="body"
          value={body}
          onValue={(text) => onChange({ body: text })}
          fault={fault}
          hint={reason ? `${size}. ${reason}` : size}
        />
      )}
    </>
  )
}
