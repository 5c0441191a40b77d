import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { formatPhone } from '../../data/phone/phone-numbers.ts'
import type { Contact } from '../../data/records.ts'
import { userId } from '../../data/session.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { TextField } from '../../parts/form/field.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { toast } from '../../parts/toast.tsx'

/** Gives a number a name. `contact`: one without a name, as STOP makes it. */
export function SaveContact({
  number,
  contact,
  onClose,
}: {
  number: string
  contact: Contact | undefined
  onClose: () => void
}) {
  const [name, setName] = useState('')
  const save = useTask(async () => {
    if (contact) await pb.collection('contacts').update(contact.id, { name })
    else await pb.collection('contacts').create({ user: userId(), phone: number, name })
    toast(t('Contact saved'))
    onClose()
  })
  const submit = () => (name.trim() === '' ? undefined : save.run())
  return (
    <Dialog title={t('Save as contact')} onClose={onClose}>
      <Form onSubmit={submit} fault={save.fault} names={['name']}>
        <TextField
          label={t('Name')}
          name="name"
          value={name}
          onValue={setName}
          fault={save.fault}
          hint={formatPhone(number)}
          autofocus
          maxLength={255}
        />
        <FormActions busy={save.busy} onCancel={onClose}>
          {t('Save')}
        </FormActions>
      </Form>
    </Dialog>
  )
}
