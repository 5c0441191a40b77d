import { useState } from 'preact/hooks'
import { type Contact, fieldNamed, type Template } from '../../data/records.ts'
import { fillTemplate, isSameName } from '../../data/text/placeholders.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/button.tsx'
import { SelectField } from '../../parts/form/field.tsx'

const MAX_TEMPLATES = 200

/**
 * A choice of the user's templates; `onPick` gets the text, filled in with what the contact has. Other
 * variables stay to be filled in by hand. Nothing to see without templates.
 */
export function TemplatePicker({
  number,
  name,
  contact,
  isContactKnown,
  onPick,
}: {
  number: string
  name: string
  contact: Contact | undefined
  /** Whether `contact` is undefined because there is none. */
  isContactKnown: boolean
  onPick: (text: string) => void
}) {
  const templates = useList<Template>('sms_templates', { sort: 'name', perPage: MAX_TEMPLATES })
  const [id, setId] = useState('')
  if (templates.items.length === 0) return null
  const valueFor = (variable: string) => {
    if (isSameName(variable, 'phone')) return number
    return isSameName(variable, 'name') ? name || undefined : contact && fieldNamed(contact, variable)
  }
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
        <Button disabled={!isContactKnown} onClick={() => onPick(fillTemplate(template.body, valueFor))}>
          {t('Use its text')}
        </Button>
      )}
    </>
  )
}
