import { formatPhone } from '#portable/phone/format-phone.ts'
import type { PhoneReading } from '#portable/phone/read-phone.ts'
import { readTypedPhone } from '#portable/phone/read-typed-phone.ts'
import { nameChoices } from '../../data/choices.ts'
import { pb } from '../../data/client.ts'
import { findValueFault, isOlderThanType, spellValue } from '../../data/contact-field-words.ts'
import { readFields } from '../../data/contact-fields.ts'
import { isObject } from '../../data/is-object.ts'
import { useCountry } from '../../data/phone/default-country.ts'
import { describePhoneFault } from '../../data/phone/phone-words.ts'
import type { Contact, ContactField, ContactGroup } from '../../data/record-types.ts'
import { listTimeZones } from '../../data/time-zones.ts'
import { t } from '../../language/words.ts'
import { NumberCountry } from '../form/country-field.tsx'
import { Notice } from '../form/form.tsx'
import { showOptedOut } from '../opted-out-toast.ts'
import type { FieldRow, FormRow } from './form-row.ts'
import { RecordForm } from './record-form.tsx'

/**
 * Adds or edits a contact. Saves only changed fields, so that an opt-out that arrives meanwhile is kept.
 * `number`: the phone number, if it must not be changed. The form then has no field for it. `only`: the name
 * of the one row that is shown.
 */
export function ContactForm({
  contact,
  number = '',
  isOptedOut = false,
  groups,
  fields,
  only,
  onClose,
}: {
  contact: Contact | undefined
  number?: string
  /** Whether a number without a contact has opted out: its new contact has, too. */
  isOptedOut?: boolean
  groups: readonly ContactGroup[]
  /** The fields that the account has defined. */
  fields: readonly ContactField[]
  only?: string
  /** Closes the dialog of the form. Without it, the form shows its buttons only after a change. */
  onClose?: () => void
}) {
  const [country, setCountry] = useCountry()
  const stored = formatPhone(contact?.phone ?? '')
  // an unchanged number is not checked: programs may have stored one that the console would refuse
  const read = (typed: unknown): PhoneReading =>
    contact && typed === stored ? { phone: contact.phone } : readTypedPhone(String(typed), country)
  const own = contact ? readFields(contact) : []
  const others = own.filter(([title]) => !fields.some(({ key }) => key === title))
  const zone = contact?.time_zone
  const sayOptedOut = ({ opted_out, phone }: Contact) => {
    if (opted_out && !(contact?.opted_out ?? isOptedOut)) showOptedOut([phone])
    onClose?.()
  }
  const rows: readonly FormRow[] = [
    { name: 'name', label: t('Name'), autofocus: !number },
    {
      name: 'phone',
      label: t('Number'),
      kind: 'tel',
      shown: () => !number,
      read: () => number || stored,
      write: (typed) => number || read(typed).phone,
      error: (typed) => {
        const fault = number ? undefined : read(typed).fault
        return fault && `${describePhoneFault(fault)}.`
      },
    },
    () => !number && <NumberCountry value={country} onValue={setCountry} />,
    ...fields.map((field) => makeFieldRow(field, own.find(([title]) => title === field.key)?.[1])),
    ...others.map(([title, value]) => ({
      name: makeOwnName(title),
      label: title,
      read: () => value,
    })),
    {
      name: 'time_zone',
      label: t('Time zone'),
      hint: t('For quiet hours.'),
      shown: () => !number,
      choices: [['', t('That of the number')], ...listTimeZones(...(zone ? [zone] : []))],
    },
    {
      name: 'groups',
      label: t('Groups'),
      class: 'group-choice',
      shown: () => groups.length > 0,
      choices: nameChoices(groups),
    },
    {
      name: 'opted_out',
      label: t('Opted out (receives no texts)'),
      shown: () => contact !== undefined || !isOptedOut,
    },
    () =>
      !contact &&
      isOptedOut && (
        <Notice kind="warning">
          {t('This number has opted out. It stays so when you save it as a contact.')}
        </Notice>
      ),
  ]
  return (
    <RecordForm
      collection="contacts"
      record={contact}
      blank={{ opted_out: isOptedOut }}
      draftKey={['contact', contact?.id ?? (number || 'new'), only].filter(Boolean).join('.')}
      rows={only ? rows.flatMap(keepOnly(only)) : rows}
      prepare={(fields) => makeRecord(fields, contact)}
      saved={t('Contact saved')}
      onSaved={sayOptedOut}
      onClose={onClose}
      isQuiet={!onClose}
    />
  )
}

/** The number is stored with a new contact, and not shown. */
const keepOnly =
  (name: string) =>
  (row: FormRow): FormRow[] => {
    const isField = typeof row === 'object' && 'label' in row
    if (!isField || row.name === 'phone') return [row]
    return row.name === name ? [{ ...row, autofocus: true }] : []
  }

const OWN = 'own-'
/** The form's name for a contact's custom field. Escapes dots, because the form reads `a.b` as a path. */
export const makeOwnName = (title: string) => OWN + encodeURIComponent(title).replaceAll('.', '%2E')

/** The row of a defined field. `stored` may be older than the field's type. */
function makeFieldRow(field: ContactField, stored = ''): FieldRow {
  const choices = (field.choices ?? []).map((choice) => [choice, choice] as const)
  const isOld = stored !== '' && isOlderThanType(field, stored)
  return {
    name: makeOwnName(field.key),
    label: field.name,
    read: () => spellValue(field, stored),
    hint: isOld ? t('Stored before the field had its type: {value}', { value: stored }) : undefined,
    error: (typed) =>
      typed === spellValue(field, stored)
        ? undefined
        : addStop(findValueFault(field, String(typed))),
    ...(field.type === 'date' && { kind: 'date' as const }),
    ...(field.type === 'choice' && {
      choices: [['', '–'], ...choices, ...(isOld ? [[stored, stored] as const] : [])],
    }),
  }
}

const addStop = (fault: string | undefined) => fault && `${fault}.`

/**
 * Converts the form's fields to a contact's record. Custom fields become members of `data`. It is read again:
 * a program or a colleague may have written others while the form was open.
 */
async function makeRecord(
  fields: Readonly<Record<string, unknown>>,
  contact: Contact | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  const { own = [], rest = [] } = Object.groupBy(Object.entries(fields), ([name]) =>
    name.startsWith(OWN) ? 'own' : 'rest',
  )
  if (own.length === 0) return fields
  const present = contact && (await pb.collection('contacts').getOne<Contact>(contact.id))
  const stored = isObject(present?.data) ? present.data : {}
  const data = own
    .map(([name, value]) => [decodeURIComponent(name.slice(OWN.length)), value] as const)
    .filter(([name, value]) => value !== '' || name in stored)
  return {
    ...Object.fromEntries(rest),
    ...(data.length > 0 && { data: { ...stored, ...Object.fromEntries(data) } }),
  }
}
