import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { lastList } from '../../data/message-list.ts'
import type { Campaign, Message } from '../../data/record-types.ts'
import { may, session } from '../../data/session.ts'
import { runAlone, type Task, useTask } from '../../data/use/use-task.ts'
import { isUnknown } from '../../data/words/failure-reasons.ts'
import { t } from '../../language/words.ts'
import { ChangeDialog, type ChangeRequest } from '../../parts/dialog/change-dialog.tsx'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { Button, ButtonLink, Notice } from '../../parts/form/form.tsx'
import { toast } from '../../parts/toast.tsx'
import { go, to } from '../../router.ts'

export const canCancel = ({ status }: Message) => status === 'pending' || status === 'assigned'

export function MessageActions({ message, campaign }: { message: Message; campaign: Campaign | undefined }) {
  const { id, message_type, status } = message
  const isMine = session.value?.role === 'user'
  const number = message_type === 'incoming' ? message.from : message.to
  const cancel = useTask(async () => {
    await pb.send(`/api/sms/messages/${id}/cancel`, { method: 'POST' })
    toast(t('Canceled: it will not be sent'))
  })
  const [isChanging, setChanging] = useState(false)
  const change = async (body: ChangeRequest) => {
    await pb.send(`/api/sms/messages/${id}`, { method: 'PATCH', body })
    toast(t('Message changed'))
  }
  const remove = useTask(async () => {
    if (!(await confirmed(removal(message)))) return
    await pb.collection('sms_messages').delete(id)
    toast(t('Message deleted'))
    go('/messages', lastList.value)
  })
  const tasks = [cancel, remove]
  const fault = tasks.find((task) => task.fault)?.fault
  const run = (task: Task<[]>) => void runAlone(task, tasks)
  return (
    <>
      {isMine && !campaign && canCancel(message) && (
        <Button icon="close" needs="agent" busy={cancel.busy} onClick={() => run(cancel)}>
          {t('Cancel the message')}
        </Button>
      )}
      {isMine && !campaign && status === 'pending' && (
        <Button icon="edit" needs="agent" onClick={() => setChanging(true)}>
          {t('Change')}
        </Button>
      )}
      {isMine && (
        <ButtonLink
          kind={isUnknown(message) ? 'primary' : 'plain'}
          icon="conversations"
          href={to(`/conversations/${encodeURIComponent(number)}`)}
        >
          {message_type === 'incoming' && may('agent') ? t('Write an answer') : t('Conversation')}
        </ButtonLink>
      )}
      <Button kind="danger" icon="trash" needs="admin" busy={remove.busy} onClick={() => run(remove)}>
        {t('Delete')}
      </Button>
      {isChanging && (
        <ChangeDialog
          title={t('Change the message')}
          waiting={message}
          save={change}
          onClose={() => setChanging(false)}
        />
      )}
      {fault && <Notice kind="wrong">{faultWords(fault)}</Notice>}
    </>
  )
}

const removal = (message: Message) => ({
  title: t('Delete the message?'),
  text: canCancel(message)
    ? t('It is canceled, and goes with its history.')
    : message.status === 'sending'
      ? t('It goes with its history. The device has it already: the text may still go out.')
      : t('It goes with its history. What was sent stays sent.'),
  action: t('Delete'),
  danger: true,
})

/** The words for an error of the server about a message. */
export function faultWords({ code, message }: { code: string; message: string }) {
  if (code === 'not_cancelable') return t('It is too late to cancel: a device has the message already.')
  if (code !== 'no_devices') return message
  return (
    <>
      {t('No device can send now.')} <a href={to('/devices')}>{t('Look at your devices')}</a>
    </>
  )
}
