import type { RefObject } from 'preact'
import { dropFormat, FIELD_FORMATS } from '#portable/field-formats.ts'
import { writeFieldValue } from '#portable/field-text.ts'
import { isSameName } from '#portable/fold-text.ts'
import { accountLocale } from '../../data/account-locale.ts'
import { findField, readFields } from '../../data/contact-fields.ts'
import type { Contact } from '../../data/record-types.ts'
import { dropRepeatedNames, listVariables, OF_CONTACTS } from '../../data/text/variables.ts'
import { useContactFields } from '../../data/use/use-contact-fields.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { Icon } from '../icon.tsx'
import { LinkNotice } from '../link-notice.tsx'
import './variable-buttons.css'

export function VariableButtons({
  text,
  onText,
  area,
  more = [],
}: {
  text: string
  onText: (text: string) => void
  area: RefObject<HTMLTextAreaElement | null>
  /** Names of variables besides those of contacts. */
  more?: readonly string[]
}) {
  const names = dropRepeatedNames([...more, ...OF_CONTACTS, ...useFieldNames()])
  return (
    <>
      <NameButtons names={names} text={text} onText={onText} area={area} />
      <DateFormats text={text} />
      {listVariables(text).some((name) => isSameName(name, 'stop_link')) && <LinkNotice />}
    </>
  )
}

/** The names of variables as people say them. Fields and columns have names of their own. */
const LABELS: Readonly<Record<string, string>> = {
  name: t('Name'),
  phone: t('Number'),
  stop_link: t('Link to opt out'),
}

/** Buttons that put variables into a text, where its cursor is. */
export function NameButtons({
  names,
  text,
  onText,
  area,
}: {
  names: readonly string[]
  text: string
  onText: (text: string) => void
  area: RefObject<HTMLTextAreaElement | null>
}) {
  const insert = (name: string) => {
    const from = area.current?.selectionStart ?? text.length
    onText(`${text.slice(0, from)}{{${name}}}${text.slice(area.current?.selectionEnd ?? from)}`)
    area.current?.focus()
  }
  return (
    <fieldset class="chips variable-buttons">
      <legend class="unseen">{t('Insert:')}</legend>
      {names.map((name) => (
        <button key={name} type="button" title={`{{${name}}}`} onClick={() => insert(name)}>
          <Icon name="plus" size={14} />
          <bdi>{LABELS[name] ?? name}</bdi>
        </button>
      ))}
    </fieldset>
  )
}

/** The formats of the dates in a text, each with an example. */
function DateFormats({ text }: { text: string }) {
  const names = listVariables(text).map(dropFormat)
  const dates = useContactFields().items.filter(
    (field) => field.type === 'date' && names.some((name) => findField([field], name)),
  )
  return dates.map(({ id, name }) => (
    <p key={id} class="muted">
      {t('{variable} can have a format: {examples}', {
        variable: `{{${name}}}`,
        examples: FIELD_FORMATS.map(
          (format) =>
            `{{${name}:${format}}} (${writeFieldValue('date', EXAMPLE, format, accountLocale())})`,
        ).join(', '),
      })}
    </p>
  ))
}

const EXAMPLE = '2026-12-31'

/** Names of custom fields are read from this many contacts, the most recently changed ones. */
const SAMPLE = 200
const MOST_NAMES = 12
const USABLE = /^[^{}|]*[^{}|\s][^{}|]*$/

function useFieldNames(): readonly string[] {
  const options = { fields: 'id,data', sort: '-updated', perPage: SAMPLE, live: false }
  const { items } = useList<Contact>('contacts', options)
  const fields = useContactFields().items
  const found = items.flatMap((contact) => readFields(contact).map(([name]) => name.trim()))
  const others = found.filter((name) => !findField(fields, name))
  const names = [...fields.map(({ name }) => name), ...others]
  return dropRepeatedNames(names.filter((name) => USABLE.test(name))).slice(0, MOST_NAMES)
}
