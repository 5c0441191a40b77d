import { useState } from 'preact/hooks'
import { countSegments } from '../../../../src/sms/send/segments.ts'
import { piecesOf, variablesOf } from '../../data/placeholders.ts'
import type { Contact } from '../../data/records.ts'
import { useList } from '../../data/use/use-list.ts'
import { SelectField, TextField } from '../../parts/form/field.tsx'

/** Contacts to choose from: the first by name are enough to see how it looks. */
const CHOICES = 100

/** What a contact would get, as it is written; variables without a value stand out. */
export function TemplatePreview({ body }: { body: string }) {
  const contacts = useList<Contact>('contacts', { sort: 'name', perPage: CHOICES, live: false })
  const [chosen, setChosen] = useState('')
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const contact = contacts.items.find(({ id }) => id === chosen) ?? contacts.items[0]
  const known: Readonly<Record<string, string>> = contact
    ? { ...values, name: contact.name, phone: contact.phone }
    : values
  const asked = variablesOf(body).filter((name) => !contact || (name !== 'name' && name !== 'phone'))
  const text = piecesOf(body)
    .map((piece) => (piece.isVariable ? (known[piece.text] ?? `{{${piece.text}}}`) : piece.text))
    .join('')
  const { segments } = countSegments(text)
  return (
    <section class="stack" aria-label="Preview">
      <div class="columns">
        {contact && (
          <SelectField
            label="As it goes to"
            name="preview-contact"
            value={contact.id}
            onValue={setChosen}
            choices={contacts.items.map(({ id, name, phone }) => [id, name || phone] as const)}
          />
        )}
        {asked.map((name) => (
          <TextField
            key={name}
            label={name}
            name={`variable-${name}`}
            value={values[name] ?? ''}
            onValue={(value) => setValues({ ...values, [name]: value })}
          />
        ))}
      </div>
      {body !== '' && (
        <>
          <p class="templates-preview">
            {piecesOf(body).map(({ text: part, isVariable }, at) =>
              isVariable && !known[part] ? (
                <span key={at} class="templates-open">{`{{${part}}}`}</span>
              ) : (
                <span key={at}>{isVariable ? known[part] : part}</span>
              ),
            )}
          </p>
          <p class="muted">{`${[...text].length} characters, ${segments} ${segments === 1 ? 'message' : 'messages'} of the network`}</p>
        </>
      )}
    </section>
  )
}
