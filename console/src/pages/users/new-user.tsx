import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { RecordForm } from '../../parts/rows/record-form.tsx'
import { toast } from '../../parts/toast.tsx'
import { userRecord, userRows } from './user-rows.ts'

const ROWS = userRows(t('At least 8 characters. They can change it later on their page Account.'))

/** Creates a user. */
export const NewUser = ({ onClose }: { onClose: () => void }) => (
  <Dialog title={t('New user')} onClose={onClose}>
    <RecordForm
      collection="users"
      rows={ROWS}
      blank={{ verified: true }}
      prepare={userRecord}
      action={t('Make the user')}
      onSaved={({ email }) => {
        toast(t('{email} can sign in now', { email }))
        onClose()
      }}
      onCancel={onClose}
    />
  </Dialog>
)
