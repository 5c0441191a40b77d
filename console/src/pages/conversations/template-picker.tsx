import { useState } from 'preact/hooks'
import type { Template } from '../../data/records.ts'
import { fillTemplate } from '../../data/text/placeholders.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/button.tsx'
import { SelectField } from '../../parts/form/field.tsx'

const MAX_TEMPLATES = 200

/**
 * A choice of the user's templates; `onPick` gets the text with name and number filled in. Other variables
 * stay to be filled in by hand. Nothing to see without templates.
 */
export function TemplatePicker({
  number,
  name,
  onPick,
}: {
  number: string
  name: string
  onPick: (text: string) => void
}) {
  const templates = useList<Template>('sms_templates', { sort: 'name', perPage: MAX_TEMPLATES })
  const [id, setId] = useState('')
  if (templates.items.length === 0) return null
  const known: Readonly<Record<string, string>> = { ...(name && { name }), phone: number }
  const template = templates.items.find((each) => each.id === id)
  return (
    <>
      <SelectField
        label={t('Template')}
        name="template"
        value={template ? id : ''}
        onValue={setId}
        choices={[['', t('Choose one')], ...templates.items.map(({ id, name }) => [id, name] as const)]}
      />
      {template && (
        <Button onClick={() => onPick(fillTemplate(template.body, known))}>{t('Use its text')}</Button>
      )}
    </>
  )
}
