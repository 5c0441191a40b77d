import type { Conversation } from '../../../data/record-types.ts'
import { session } from '../../../data/session.ts'
import type { People } from '../../../data/team/people.ts'
import { t } from '../../../language/words.ts'
import { Button } from '../../../parts/form/form.tsx'
import { assignConversations } from '../change.ts'

/**
 * Above the answer box: a colleague has sent an answer at the same time. Offers to take the conversation, or
 * to leave a note in one that the person has already.
 */
export function RivalNotice({
  name,
  conversation,
  people,
  onNote,
  onClose,
}: {
  name: string
  conversation: Conversation
  people: People
  onNote: () => void
  onClose: () => void
}) {
  const me = session.value?.sender ?? ''
  const isMine = conversation.assignee === me
  const act = () => {
    onClose()
    if (isMine) onNote()
    else void assignConversations([conversation], me, people)
  }
  return (
    <div class="conversations-rival" role="status">
      <span>{t('{name} has answered at the same time', { name })}</span>
      <Button kind="quiet" icon={isMine ? 'edit' : 'assign'} onClick={act}>
        {isMine ? t('Write a note') : t('Assign to me')}
      </Button>
      <Button kind="quiet" icon="close" iconOnly onClick={onClose}>
        {t('Dismiss')}
      </Button>
    </div>
  )
}
