import { pb } from '../../data/client.ts'
import type { Campaign, Message } from '../../data/record-types.ts'
import { session } from '../../data/session.ts'
import { useTask } from '../../data/use/use-task.ts'
import { failureReason, isCanceled, isUnknown } from '../../data/words/failure-reasons.ts'
import { t, tx } from '../../language/words.ts'
import { CampaignNotice } from '../../parts/campaign-notice.tsx'
import { confirmed } from '../../parts/dialog/dialog.tsx'
import { Button, Notice } from '../../parts/form/form.tsx'
import { toast } from '../../parts/toast.tsx'
import { go, to } from '../../router.ts'
import { faultWords } from './actions.tsx'

interface Failed {
  readonly message: Message
  /** The message that was sent instead. */
  readonly next: Message | undefined
  readonly campaign: Campaign | undefined
}

/** Why a message failed, and the button that sends it again. */
export function Outcome({ message, next, campaign }: Failed) {
  const { status, message_type, body } = message
  if (status !== 'failed') return null
  const canRetry = message_type === 'outgoing' && !next && body !== ''
  return (
    <>
      <Notice kind={isUnknown(message) ? 'warning' : next || isCanceled(message) ? 'info' : 'wrong'}>
        {reasonFor(message)}
        {next && (
          <>
            {' '}
            {tx('It was sent again: {link}.', {
              link: <a href={to(`/messages/${next.id}`)}>{t('the new message')}</a>,
            })}
          </>
        )}
      </Notice>
      {canRetry && campaign && <CampaignNotice campaign={campaign} />}
      {canRetry && !campaign && session.value?.role === 'user' && <Retry message={message} />}
    </>
  )
}

function reasonFor(message: Message) {
  const reason = failureReason(message.error_message)
  if (isUnknown(message))
    return (
      <>
        <strong>{t('Outcome unknown.')}</strong>{' '}
        {t(
          'The device took the message and went silent. The text may have gone out, or not: ask the person before you send it again.',
        )}
      </>
    )
  if (isCanceled(message)) return reason
  if (!reason) return t('It failed.')
  return message.sent_at
    ? t('Not delivered: {fault}', { fault: reason })
    : t('Not sent: {fault}', { fault: reason })
}

function Retry({ message }: { message: Message }) {
  const isDoubtful = isUnknown(message)
  const retry = useTask(async () => {
    if (isDoubtful && !(await confirmed(TWICE))) return
    const answer = await pb.send<{ message_ids: readonly string[] }>(
      `/api/sms/messages/${message.id}/retry`,
      { method: 'POST' },
    )
    toast(t('Sent again, as a new message'))
    go(`/messages/${answer.message_ids[0]}`)
  })
  return (
    <>
      <div class="row">
        <Button
          kind={isDoubtful ? 'plain' : 'primary'}
          icon="again"
          needs="agent"
          busy={retry.busy}
          onClick={() => void retry.run()}
        >
          {t('Send again')}
        </Button>
      </div>
      {retry.fault && <Notice kind="wrong">{faultWords(retry.fault)}</Notice>}
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
