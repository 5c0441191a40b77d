import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { useTask } from '../../data/use/use-task.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { toast } from '../../parts/toast.tsx'
import { bodyOf, FIELD_NAMES, type UserDraft, UserFields } from './user-fields.tsx'

const DRAFT: UserDraft = { email: '', name: '', quota: '', verified: true, password: '' }

/** Makes a user. */
export function NewUser({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState(DRAFT)
  const make = useTask(async () => {
    await pb.collection('users').create(bodyOf(draft))
    toast(`${draft.email} can sign in now`)
    onClose()
  })
  return (
    <Dialog title="New user" onClose={onClose}>
      <Form onSubmit={make.run} fault={make.fault} names={FIELD_NAMES}>
        <UserFields
          value={draft}
          onValue={setDraft}
          fault={make.fault}
          passwordHint="At least 8 characters. They can change it later on their page Account."
        />
        <FormActions busy={make.busy} onCancel={onClose}>
          Make the user
        </FormActions>
      </Form>
    </Dialog>
  )
}
