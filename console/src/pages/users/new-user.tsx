import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { Form, FormActions } from '../../parts/form/form.tsx'
import { toast } from '../../parts/toast.tsx'
import { bodyOf, FIELD_NAMES, type UserDraft, UserFields } from './user-fields.tsx'

const DRAFT: UserDraft = { email: '', name: '', quota: '', verified: true, password: '' }

/** Creates a user. */
export function NewUser({ onClose }: { onClose: () => void }) {
  const [draft, setDraft] = useState(DRAFT)
  const make = useTask(async () => {
    await pb.collection('users').create(bodyOf(draft))
    toast(t('{email} can sign in now', { email: draft.email }))
    onClose()
  })
  return (
    <Dialog title={t('New user')} onClose={onClose}>
      <Form onSubmit={make.run} fault={make.fault} names={FIELD_NAMES}>
        <UserFields
          value={draft}
          onValue={setDraft}
          fault={make.fault}
          passwordHint={t('At least 8 characters. They can change it later on their page Account.')}
        />
        <FormActions busy={make.busy} onCancel={onClose}>
          {t('Make the user')}
        </FormActions>
      </Form>
    </Dialog>
  )
}
