import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { readPhone } from '../../data/phone.ts'
import type { Contact, ContactGroup } from '../../data/records.ts'
import { userId } from '../../data/session.ts'
import { useTask } from '../../data/use/use-task.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { CheckField, TextField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { toast } from '../../parts/toast.tsx'

/** Adds a contact, or changes one. */
export function ContactForm({
  contact,
  groups,
  onClose,
}: {
  contact: Contact | undefined
  groups: readonly ContactGroup[]
  onClose: () => void
}) {
  const [name, setName] = useState(contact?.name ?? '')
  const [phone, setPhone] = useState(contact?.phone ?? '')
  const [chosen, setChosen] = useState<readonly string[]>(contact?.groups ?? [])
  const [optedOut, setOptedOut] = useState(contact?.opted_out ?? false)
  const [isTried, setTried] = useState(false)
  const read = readPhone(phone)
  const save = useTask(async () => {
    const values = { name, phone: read, groups: chosen, opted_out: optedOut }
    if (contact) await pb.collection('contacts').update(contact.id, values)
    else await pb.collection('contacts').create({ ...values, user: userId() })
    toast('Contact saved')
    onClose()
  })
  const submit = () => {
    setTried(true)
    if (read) return save.run()
  }
  return (
    <Dialog title={contact ? 'Change a contact' : 'Add a contact'} onClose={onClose}>
      <Form onSubmit={submit} fault={save.fault} names={['name', 'phone']}>
        <TextField
          label="Name"
          name="name"
          value={name}
          onValue={setName}
          fault={save.fault}
          autofocus
          maxLength={255}
        />
        <TextField
          label="Number"
          name="phone"
          type="tel"
          value={phone}
          onValue={setPhone}
          fault={save.fault}
          error={
            isTried && !read ? 'A number begins with + and the country, such as +49 151 12345678.' : undefined
          }
          hint="With the country, such as +49 151 12345678."
        />
        {groups.length > 0 && <GroupChoice groups={groups} chosen={chosen} onChoose={setChosen} />}
        <CheckField
          label="Has opted out: gets no texts"
          name="opted_out"
          value={optedOut}
          onValue={setOptedOut}
        />
        <FormActions busy={save.busy} onCancel={onClose}>
          Save
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
    <legend>Groups</legend>
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
