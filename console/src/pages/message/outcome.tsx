import type { Campaign, Message } from '../../data/record-types.ts'
import { isUser } from '../../data/session.ts'
import { failureReason, isCanceled, isUnknown } from '../../data/words/failure-reasons.ts'
import { t, tx } from '../../language/words.ts'
import { CampaignNotice } from '../../parts/campaign-notice.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { SendAgain, usePhones } from '../../parts/message/send-again.tsx'
import { go, to } from '../../router.ts'

interface Failed {
  readonly message: Message
  /** The message that was sent instead. */
  readonly next: Message | undefined
  readonly campaign: Campaign | undefined
}

/** Why a message failed, and the button that sends it again. */
export function Outcome({ message, next, campaign }: Failed) {
  const { status, message_type } = message
  const phones = usePhones(status === 'failed')
  if (status !== 'failed') return null
  const canRetry = message_type === 'outgoing' && !next
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
      {canRetry && !campaign && isUser() && (
        <div class="row">
          <SendAgain message={message} phones={phones} onSent={(id) => go(`/messages/${id}`)} />
        </div>
      )}
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
