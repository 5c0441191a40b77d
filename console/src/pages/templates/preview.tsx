import { useState } from 'preact/hooks'
import { foldName } from '#portable/fold-text.ts'
import { countSegments } from '#portable/segments.ts'
import { findContactField } from '../../data/contact-fields.ts'
import { nameContact } from '../../data/name-contact.ts'
import type { Contact } from '../../data/record-types.ts'
import { formatSegments } from '../../data/text/text-size.ts'
import {
  fillPiece,
  listVariables,
  OF_CONTACTS,
  splitAtVariables,
} from '../../data/text/variables.ts'
import { useContactFields } from '../../data/use/use-contact-fields.ts'
import { useList } from '../../data/use/use-list.ts'
import { t } from '../../language/words.ts'
import { SelectField, TextField } from '../../parts/form/field.tsx'
import './preview.css'

/** Maximum contacts to choose from for the preview. */
const CHOICES = 100

/** The text of a template as a chosen contact would get it, with fields for its other variables. */
export function TemplatePreview({ body }: { body: string }) {
  const contacts = useList<Contact>('contacts', { sort: 'name', perPage: CHOICES, live: false })
  const [chosen, setChosen] = useState('')
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const contact = contacts.items.find(({ id }) => id === chosen) ?? contacts.items[0]
  const fields = useContactFields()
  const findField = (name: string) => contact && findContactField(contact, name, fields.items)
  const own: Readonly<Record<string, string>> = {
    ...(contact && { name: contact.name, phone: contact.phone }),
    // as long as a real one
    stop_link: `${location.origin}/leave/${'x'.repeat(32)}`,
  }
  // prefer the contact's own value to a typed one, which may have been typed for another contact
  const valueFor = (variable: string) => {
    const name = foldName(variable)
    return own[name] || findField(variable) || (own[name] ?? values[name])
  }
  // while contacts are being loaded, assume that there is one with name and phone
  const isTheirs = (name: string) =>
    (contact || contacts.loading) && OF_CONTACTS.includes(foldName(name))
  const asked = listVariables(body).filter((name) => !isTheirs(name) && !findField(name))
  const pieces = splitAtVariables(body).map((piece) => {
    const value = piece.isVariable ? fillPiece(piece, valueFor(piece.text)) : piece.text
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
            choices={contacts.items.map((one) => [one.id, nameContact(one)] as const)}
          />
        )}
        {asked.map((name) => (
          <TextField
            key={name}
            label={name}
            name={`variable-${name}`}
            value={values[foldName(name)] ?? ''}
            onValue={(value) => setValues({ ...values, [foldName(name)]: value })}
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
              segments: formatSegments(segments),
            })}
          </p>
        </>
      )}
    </section>
  )
}
