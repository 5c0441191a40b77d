import { useState } from 'preact/hooks'
import { countSegments } from '#portable/segments.ts'
import { formatPhone } from '../../data/phone/phone-numbers.ts'
import { type Contact, fieldNamed } from '../../data/records.ts'
import { filled, piecesOf, variablesOf } from '../../data/text/placeholders.ts'
import { segmentsText } from '../../data/text/text-size.ts'
import { OF_CONTACTS } from '../../data/text/variables.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { SelectField, TextField } from '../../parts/form/field.tsx'

/** Contacts to choose from, the first ones by name. */
const CHOICES = 100

/** Previews the typed template for a contact. Marks variables without a value. */
export function TemplatePreview({ body }: { body: string }) {
  const contacts = useList<Contact>('contacts', { sort: 'name', perPage: CHOICES, live: false })
  const [chosen, setChosen] = useState('')
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const contact = contacts.items.find(({ id }) => id === chosen) ?? contacts.items[0]
  const fieldOf = (name: string) => contact && fieldNamed(contact, name)
  const own: Readonly<Record<string, string>> = contact ? { name: contact.name, phone: contact.phone } : {}
  // the contact's own value goes before one that was typed for another contact
  const valueFor = (variable: string) => {
    const name = variable.toLowerCase()
    return own[name] || fieldOf(variable) || (own[name] ?? values[name])
  }
  // while contacts are loading, assume that one has name and phone
  const isTheirs = (name: string) => (contact || contacts.loading) && OF_CONTACTS.includes(name.toLowerCase())
  const asked = variablesOf(body).filter((name) => !isTheirs(name) && !fieldOf(name))
  const pieces = piecesOf(body).map((piece) => {
    const value = piece.isVariable ? filled(piece, valueFor(piece.text)) : piece.text
    return { text: value ?? `{{${piece.text}}}`, isOpen: value === undefined }
  })
  const text = pieces.map((piece) => piece.text).join('')
  const { segments } = countSegments(text)
  return (
    <section class="stack" aria-label={t('Preview')}>
      <div class="columns">
        {contact && (
          <SelectField
            label={t('As it goes to')}
            name="preview-contact"
            value={contact.id}
            onValue={setChosen}
            choices={contacts.items.map(({ id, name, phone }) => [id, name || formatPhone(phone)] as const)}
          />
        )}
        {asked.map((name) => (
          <TextField
            key={name}
            label={name}
            name={`variable-${name}`}
            value={values[name.toLowerCase()] ?? ''}
            onValue={(value) => setValues({ ...values, [name.toLowerCase()]: value })}
          />
        ))}
      </div>
      {body !== '' && (
        <>
          <p class="templates-preview">
            {pieces.map((piece, at) => (
              <span key={at} class={piece.isOpen ? 'templates-open' : undefined}>
                {piece.text}
              </span>
            ))}
          </p>
          <p class="muted">
            {t('{count} characters, {segments}', {
              count: [...text].length,
              segments: segmentsText(segments),
            })}
          </p>
        </>
      )}
    </section>
  )
}
