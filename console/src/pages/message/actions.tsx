import { useState } from 'preact/hooks'
import { pb } from '../../data/client.ts'
import { lastList } from '../../data/message-list.ts'
import type { Message } from '../../data/record-types.ts'
import { may, session } from '../../data/session.ts'
import { useCampaignOf } from '../../data/use/use-campaign-of.ts'
import { runAlone, type Task, useTask } from '../../data/use/use-task.ts'
import { t } from '../../language/words.ts'
import { CampaignNotice } from '../../parts/campaign-notice.tsx'
import { Copy } from '../../parts/code.tsx'
import { ChangeDialog, type ChangeRequest } from '../../parts/dialog/change-dialog.tsx'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { Button, ButtonLink, Notice } from '../../parts/form/form.tsx'
import { toast } from '../../parts/toast.tsx'
import { go, to } from '../../router.ts'

/** True for a message that may or may not have been sent. */
export const isUnknown = ({ error_message }: Message) => error_message.startsWith('Outcome unknown')

const canCancel = ({ status }: Message) => status === 'pending' || status === 'assigned'

const canRetry = ({ status, message_type, body }: Message, next: Message | undefined) =>
  status === 'failed' && message_type === 'outgoing' && !next && body !== ''

export function MessageActions({ message, next }: { message: Message; next: Message | undefined }) {
  const campaign = useCampaignOf(message.message_type === 'outgoing' ? message.sent_by : '')
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
  const retry = useTask(async () => {
    if (isUnknown(message) && !(await confirmed(TWICE))) return
    const answer = await pb.send<{ message_ids: readonly string[] }>(`/api/sms/messages/${id}/retry`, {
      method: 'POST',
    })
    toast(t('Sent again, as a new message'))
    go(`/messages/${answer.message_ids[0]}`)
  })
  const remove = useTask(async () => {
    if (!(await confirmed(removal(message)))) return
    await pb.collection('sms_messages').delete(id)
    toast(t('Message deleted'))
    go('/messages', lastList.value)
  })
  const tasks = [cancel, retry, remove]
  const fault = tasks.find((task) => task.fault)?.fault
  const run = (task: Task<[]>) => void runAlone(task, tasks)
  return (
    <>
      <div class="page-actions message-actions">
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
        {isMine && !campaign && canRetry(message, next) && (
          <Button kind="primary" icon="again" needs="agent" busy={retry.busy} onClick={() => run(retry)}>
            {t('Send again')}
          </Button>
        )}
        {isMine && (
          <ButtonLink icon="conversations" href={to(`/conversations/${encodeURIComponent(number)}`)}>
            {message_type === 'incoming' && may('agent') ? t('Write an answer') : t('Conversation')}
          </ButtonLink>
        )}
        <Copy text={id} label={t('Copy the id')} />
        <Button kind="quiet" icon="trash" needs="admin" busy={remove.busy} onClick={() => run(remove)}>
          {t('Delete')}
        </Button>
      </div>
      {campaign && (canCancel(message) || canRetry(message, next)) && <CampaignNotice campaign={campaign} />}
      {isChanging && (
        <ChangeDialog
          title={t('Change the message')}
          waiting={message}
          save={change}
          onClose={() => setChanging(false)}
        />
      )}
      {fault && <Notice kind="wrong">{wordsOf(fault)}</Notice>}
    </>
  )
}

const TWICE = {
  title: t('Send it again?'),
  text: t(
    'The device went silent before it said what became of the text. It may have gone out: sending it again may reach the person twice.',
  ),
  action: t('Send it again'),
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

function wordsOf({ code, message }: { code: string; message: string }) {
  if (code === 'not_cancelable') return t('It is too late to cancel: a device has the message already.')
  if (code !== 'no_devices') return message
  return (
    <>
      {t('No device can send now.')} <a href={to('/devices')}>{t('Look at your devices')}</a>
    </>
  )
}
