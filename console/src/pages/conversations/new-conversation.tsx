import { t } from '../../language/words.ts'
import { Dialog } from '../../parts/dialog/dialog.tsx'
import { FindPerson } from '../../parts/form/find-person.tsx'
import { pathOfConversation } from '../../router.ts'

export const NewConversation = ({ onClose }: { onClose: () => void }) => (
  <Dialog title={t('New conversation')} onClose={onClose}>
    <FindPerson
      makePath={pathOfConversation}
      action={t('Write')}
      only="opted_out = false"
      autofocus
      onClose={onClose}
    />
  </Dialog>
)
