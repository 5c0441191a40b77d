import { useRef } from 'preact/hooks'
import { nameChoices } from '../../data/choices.ts'
import { makeChoices, readIndexes } from '../../data/files/column-choices.ts'
import type { Sheet } from '../../data/files/sheet.ts'
import type { Template } from '../../data/record-types.ts'
import { t } from '../../language/words.ts'
import { CountryField } from '../../parts/form/country-field.tsx'
import { SelectField, TextArea, TextField } from '../../parts/form/field.tsx'
import { NameButtons } from '../../parts/form/variable-buttons.tsx'
import { SuggestPlainText } from '../../parts/suggest-plain-text.tsx'

export interface Wishes {
  readonly name: string
  /** Indexes of the columns with numbers. */
  readonly phones: readonly number[]
  /** The columns that were guessed to have numbers. */
  readonly guessed: readonly number[]
  readonly country: string
  readonly text: string
}

/** Fields for the column with the phone numbers, and for the text. */
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
  return (
    <>
      <TextField
        label={t('Name')}
        name="name"
        value={wishes.name}
        onValue={(name) => onChange({ name })}
        hint={t('Recipients do not see the name.')}
      />
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
        hint={t('Press the name of a column, and each person gets the value of their row.')}
      />
      <NameButtons
        names={sheet.head.map((title) => title.trim())}
        text={wishes.text}
        onText={(text) => onChange({ text })}
        area={area}
      />
      <SuggestPlainText text={wishes.text} onText={(text) => onChange({ text })} />
    </>
  )
}
