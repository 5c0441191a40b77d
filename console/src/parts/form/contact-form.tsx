import { useState } from 'preact/hooks'
import './contact-form.css'
import { pb } from '../../data/client.ts'
import { formatPhone, type PhoneReading, readPhone } from '../../data/phone/phone-numbers.ts'
import { phoneFaultWords } from '../../data/phone/phone-words.ts'
import { useCountry } from '../../data/phone/use-country.ts'
import { type Contact, type ContactGroup, fieldsOf } from '../../data/records.ts'
import { userId } from '../../data/session.ts'
import { timeZones } from '../../data/time-zones.ts'
import { changedMembers } from '../../data/use/draft-members.ts'
import { useDraft } from '../../data/use/use-draft.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { toast } from '../toast.tsx'
import { CheckField, CheckList, SelectField, TextField } from './field.tsx'
import { Form, FormActions } from './form.tsx'
import { NumberCountry } from './number-country.tsx'

/** The values of a new contact. */
const BLANK = { name: '', phone: '', groups: [] as readonly string[], opted_out: false, time_zone: '' }

/** The form's initial values. */
const draftOf = (contact: Contact | undefined) => ({
  name: contact?.name ?? '',
  phone: formatPhone(contact?.phone ?? ''),
  chosen: contact?.groups ?? [],
  optedOut: contact?.opted_out ?? false,
  zone: contact?.time_zone ?? '',
  fields: {} as Readonly<Record<string, string>>,
})

/**
 * Adds or edits a contact. Saves only typed fields, so that an opt-out that arrives meanwhile is kept.
 * `number`: the contact's fixed number, which the form does not show.
 */
export function ContactForm({
  contact,
  number = '',
  groups,
  onDone,
  onCancel,
}: {
  contact: Contact | undefined
  number?: string
  groups: readonly ContactGroup[]
  onDone?: () => void
  onCancel?: () => void
}) {
  const draft = useDraft(`contact.${contact?.id ?? (number || 'new')}`, draftOf(contact))
  const { name, phone, chosen, optedOut, zone, fields } = draft.value
  const [isTried, setTried] = useState(false)
  const [country, setCountry] = useCountry()
  // a stored number is kept whatever its length: programs may have stored it
  const kept = contact && phone === formatPhone(contact.phone) ? contact.phone : number
  const reading = kept ? { phone: kept } : readPhone(phone, country)
  const { phone: read, fault: unread }: PhoneReading = reading
  const save = useTask(async () => {
    const data = { ...(contact?.data as object), ...fields }
    const typed = { name, phone: read ?? '', groups: chosen, opted_out: optedOut, time_zone: zone }
    const values = {
      ...changedMembers({ ...BLANK, ...contact }, typed),
      ...(Object.keys(fields).length > 0 && { data }),
    }
    if (contact) await pb.collection('contacts').update(contact.id, values)
    else await pb.collection('contacts').create({ ...values, user: userId() })
    draft.saved({ ...draft.value, fields: {} })
    toast(t('Contact saved'))
    onDone?.()
  })
  const cancel = () => {
    draft.discard()
    onCancel?.()
  }
  const submit = () => {
    setTried(true)
    if (read) return save.run()
  }
  return (
    <Form onSubmit={submit} fault={save.fault} names={['name', 'phone', 'time_zone']}>
      <TextField
        label={t('Name')}
        name="name"
        value={name}
        onValue={(name) => draft.change({ name })}
        fault={save.fault}
        autofocus={!number}
        maxLength={255}
      />
      {!number && (
        <>
          <TextField
            label={t('Number')}
            name="phone"
            type="tel"
            value={phone}
            onValue={(phone) => draft.change({ phone })}
            fault={save.fault}
            error={isTried && unread ? `${phoneFaultWords(unread)}.` : undefined}
          />
          <NumberCountry value={country} onValue={setCountry} />
        </>
      )}
      {contact &&
        fieldsOf(contact).map(([title, value]) => (
          <TextField
            key={title}
            label={title}
            name={`field-${title}`}
            value={fields[title] ?? value}
            onValue={(typed) => draft.change({ fields: withField(fields, title, value, typed) })}
          />
        ))}
      {!number && (
        <SelectField
          label={t('Time zone')}
          name="time_zone"
          choices={[['', t('That of the number')], ...timeZones(...(zone ? [zone] : []))]}
          value={zone}
          onValue={(zone) => draft.change({ zone })}
          hint={t('For quiet hours.')}
          fault={save.fault}
        />
      )}
      {groups.length > 0 && (
        <CheckList
          class="group-choice"
          legend={t('Groups')}
          name="groups"
          choices={groups.map(({ id, name }) => [id, name] as const)}
          chosen={chosen}
          onChosen={(chosen) => draft.change({ chosen })}
        />
      )}
      <CheckField
        label={t('Has opted out: gets no texts')}
        name="opted_out"
        value={optedOut}
        onValue={(optedOut) => draft.change({ optedOut })}
      />
      {(onCancel || draft.isChanged) && (
        <FormActions busy={save.busy} onCancel={cancel}>
          {t('Save')}
        </FormActions>
      )}
    </Form>
  )
}

/** The changed fields with one more; without it if it equals the stored value. */
function withField(
  fields: Readonly<Record<string, string>>,
  title: string,
  stored: string,
  typed: string,
): Record<string, string> {
  const others = Object.entries(fields).filter(([name]) => name !== title)
  return Object.fromEntries(typed === stored ? others : [...others, [title, typed]])
}
