import { pb } from '../../data/client.ts'
import { lastList } from '../../data/message-list.ts'
import type { Campaign, Message } from '../../data/record-types.ts'
import { otherNumber } from '../../data/record-types.ts'
import { isUser, may } from '../../data/session.ts'
import { useTask } from '../../data/use/use-task.ts'
import { isUnknown } from '../../data/words/failure-reasons.ts'
import { t } from '../../language/words.ts'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { Button, ButtonLink, FaultNotice } from '../../parts/form/form.tsx'
import { canCancel, WaitingActions } from '../../parts/message/waiting-actions.tsx'
import { toast } from '../../parts/toast.tsx'
import { go, pathOfConversation, to } from '../../router.ts'

export function MessageActions({ message, campaign }: { message: Message; campaign: Campaign | undefined }) {
  const { id, message_type } = message
  const isMine = isUser()
  const remove = useTask(async () => {
    if (!(await confirmed(removal(message)))) return
    await pb.collection('sms_messages').delete(id)
    toast(t('Message deleted'))
    go('/messages', lastList.value)
  })
  return (
    <>
      {isMine && !campaign && <WaitingActions message={message} kind="plain" />}
      {isMine && (
        <ButtonLink
          kind={isUnknown(message) ? 'primary' : 'plain'}
          icon="conversations"
          href={to(pathOfConversation(otherNumber(message)))}
        >
          {message_type === 'incoming' && may('agent') ? t('Write an answer') : t('Conversation')}
        </ButtonLink>
      )}
      <Button kind="danger" icon="trash" needs="admin" task={remove}>
        {t('Delete')}
      </Button>
      <FaultNotice fault={remove.fault} />
    </>
  )
}

const removal = (message: Message) => ({
  title: t('Delete the message?'),
  text: canCancel(message)
    ? t('The message is canceled, and deleted with its history.')
    : message.status === 'sending'
      ? t('The message is deleted with its history. The device has the text already, and may still send it.')
      : t('The message is deleted with its history. A sent text stays sent.'),
  action: t('Delete'),
  danger: true,
})
