import { useState } from 'preact/hooks'
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
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { CheckField, SelectField, TextField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { NumberCountry } from '../../parts/form/number-country.tsx'
import { toast } from '../../parts/toast.tsx'

/** What of a contact is stored before the first save. */
const BLANK = { name: '', phone: '', groups: [] as readonly string[], opted_out: false, time_zone: '' }

/** What the form begins with. */
const draftOf = (contact: Contact | undefined) => ({
  name: contact?.name ?? '',
  phone: formatPhone(contact?.phone ?? ''),
  chosen: contact?.groups ?? [],
  optedOut: contact?.opted_out ?? false,
  zone: contact?.time_zone ?? '',
  fields: contact ? fieldsOf(contact) : [],
})

/** Adds a contact, or changes one. */
export function ContactForm({
  contact: given,
  groups,
  onClose,
}: {
  contact: Contact | undefined
  groups: readonly ContactGroup[]
  onClose: () => void
}) {
  // as it was when it was opened: only what is different then is written, so that a STOP that comes in
  // meanwhile is not taken back
  const [contact] = useState(given)
  const [first] = useState(() => draftOf(contact))
  const draft = useDraft(`contact.${contact?.id ?? 'new'}`, first)
  const { name, phone, chosen, optedOut, zone, fields } = draft.value
  const [isTried, setTried] = useState(false)
  const [country, setCountry] = useCountry()
  // a stored number is kept whatever its length: programs may have stored it
  const isSame = contact !== undefined && phone === formatPhone(contact.phone)
  const reading = isSame ? { phone: contact.phone } : readPhone(phone, country)
  const { phone: read, fault: unread }: PhoneReading = reading
  const save = useTask(async () => {
    const before = new Map(contact && fieldsOf(contact))
    const edited = fields.filter(([title, value]) => before.get(title) !== value)
    const data = { ...(contact?.data as object), ...Object.fromEntries(edited) }
    const typed = { name, phone: read ?? '', groups: chosen, opted_out: optedOut, time_zone: zone }
    const values = {
      ...changedMembers({ ...BLANK, ...contact }, typed),
      ...(edited.length > 0 && { data }),
    }
    if (contact) await pb.collection('contacts').update(contact.id, values)
    else await pb.collection('contacts').create({ ...values, user: userId() })
    draft.saved()
    toast(t('Contact saved'))
    onClose()
  })
  const cancel = () => {
    draft.discard()
    onClose()
  }
  const submit = () => {
    setTried(true)
    if (read) return save.run()
  }
  return (
    <Dialog title={contact ? t('Change a contact') : t('Add a contact')} onClose={onClose}>
      <Form onSubmit={submit} fault={save.fault} names={['name', 'phone', 'time_zone']}>
        <TextField
          label={t('Name')}
          name="name"
          value={name}
          onValue={(name) => draft.change({ name })}
          fault={save.fault}
          autofocus
          maxLength={255}
        />
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
        {fields.map(([title, value]) => (
          <TextField
            key={title}
            label={title}
            name={`field-${title}`}
            value={value}
            onValue={(typed) =>
              draft.change({ fields: fields.map((field) => (field[0] === title ? [title, typed] : field)) })
            }
          />
        ))}
        <SelectField
          label={t('Time zone')}
          name="time_zone"
          choices={[['', t('That of the number')], ...timeZones(...(zone ? [zone] : []))]}
          value={zone}
          onValue={(zone) => draft.change({ zone })}
          hint={t('For quiet hours.')}
          fault={save.fault}
        />
        {groups.length > 0 && (
          <GroupChoice groups={groups} chosen={chosen} onChoose={(chosen) => draft.change({ chosen })} />
        )}
        <CheckField
          label={t('Has opted out: gets no texts')}
          name="opted_out"
          value={optedOut}
          onValue={(optedOut) => draft.change({ optedOut })}
        />
        <FormActions busy={save.busy} onCancel={cancel}>
          {t('Save')}
        </FormActions>
      </Form>
    </Dialog>
  )
}

const GroupChoice = ({
  groups,
  chosen,
  onChoose,
}: {
  groups: readonly ContactGroup[]
  chosen: readonly string[]
  onChoose: (ids: readonly string[]) => void
}) => (
  <fieldset class="contacts-groups">
    <legend>{t('Groups')}</legend>
    {groups.map(({ id, name }) => (
      <CheckField
        key={id}
        label={name}
        name={`group-${id}`}
        value={chosen.includes(id)}
        onValue={(isIn) => onChoose(isIn ? [...chosen, id] : chosen.filter((each) => each !== id))}
      />
    ))}
  </fieldset>
)
