import { useRef } from 'preact/hooks'
import { nameChoices } from '../../data/choices.ts'
import { makeChoices, readIndexes } from '../../data/files/column-choices.ts'
import type { Sheet } from '../../data/files/sheet.ts'
import type { Template } from '../../data/record-types.ts'
import { t } from '../../language/words.ts'
import { CountryField } from '../../parts/form/country-field.tsx'
import { SelectField, TextArea } from '../../parts/form/field.tsx'
import { Button } from '../../parts/form/form.tsx'
import { SuggestPlainText } from '../../parts/suggest-plain-text.tsx'

export interface Wishes {
  /** Indexes of the columns with numbers. */
  readonly phones: readonly number[]
  /** The columns that were guessed to have numbers. */
  readonly guessed: readonly number[]
  readonly country: string
  readonly text: string
}

/**
 * Fields for the column with the phone numbers, and for the text. Buttons insert placeholders into the text.
 */
export function ListFields({
  sheet,
  wishes,
  faults,
  templates,
  onChange,
}: {
  sheet: Sheet
  wishes: Wishes
  faults: Readonly<Record<string, string>>
  templates: readonly Template[]
  onChange: (part: Partial<Wishes>) => void
}) {
  const area = useRef<HTMLTextAreaElement>(null)
  const put = (title: string) => {
    const { text } = wishes
    const at = area.current?.selectionStart ?? text.length
    onChange({ text: `${text.slice(0, at)}{{${title}}}${text.slice(at)}` })
    area.current?.focus()
  }
  return (
    <>
      <div class="columns">
        <SelectField
          label={t('Numbers are in')}
          name="phone-column"
          value={wishes.phones.join()}
          onValue={(value) => onChange({ phones: readIndexes(value) })}
          choices={makeChoices(sheet.head, wishes.guessed)}
        />
        <CountryField value={wishes.country} onValue={(country) => onChange({ country })} />
        {templates.length > 0 && (
          <SelectField
            label={t('Start with a template')}
            name="template"
            value=""
            onValue={(id) =>
              onChange({ text: templates.find((one) => one.id === id)?.body ?? wishes.text })
            }
            choices={[['', t('Choose…')], ...nameChoices(templates)]}
          />
        )}
      </div>
      <TextArea
        label={t('Text')}
        name="text"
        rows={4}
        inputRef={area}
        value={wishes.text}
        onValue={(text) => onChange({ text })}
        error={faults.text}
        hint={t('A variable in double braces gets its value from the column of that name.')}
      />
      <SuggestPlainText text={wishes.text} onText={(text) => onChange({ text })} />
      <div class="list-columns">
        <span>{t('Put in:')}</span>
        {sheet.head.map((title) => (
          <Button key={title} onClick={() => put(title)}>
            {title}
          </Button>
        ))}
      </div>
    </>
  )
}
