import { findRegistrationAdvice } from '../../data/carriers/refusal-words.ts'
import { pb } from '../../data/client.ts'
import { useOptedOut } from '../../data/opt-out/opted-out.ts'
import type { Campaign, Contact, Message } from '../../data/record-types.ts'
import { isUser } from '../../data/session.ts'
import { useOne } from '../../data/use/use-list.ts'
import {
  isCanceledMessage,
  isOutcomeUnknown,
  translateFailureReason,
} from '../../data/words/message-states.ts'
import { t, tx } from '../../language/words.ts'
import { CampaignNotice } from '../../parts/campaign-notice.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { SendAgain, usePhones } from '../../parts/message/send-again.tsx'
import { goToPage, makePageHref } from '../../router.ts'

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
  const contacts = useOne<Contact>(
    'contacts',
    status === 'failed' && isUser()
      ? pb.filter('phone = {:number}', { number: message.to })
      : undefined,
  )
  const isContactKnown = status === 'failed' && isUser() && !contacts.loading && !contacts.fault
  const isOptedOut = useOptedOut(message.to, contacts.record, isContactKnown)
  if (status !== 'failed') return null
  const canRetry = message_type === 'outgoing' && !next
  return (
    <>
      <Notice
        kind={
          isOutcomeUnknown(message)
            ? 'warning'
            : next || isCanceledMessage(message)
              ? 'info'
              : 'wrong'
        }
      >
        {renderReason(message)}
        {next && (
          <>
            {' '}
            {tx('It was sent again: {link}.', {
              link: <a href={makePageHref(`/messages/${next.id}`)}>{t('the new message')}</a>,
            })}
          </>
        )}
      </Notice>
      {canRetry && campaign && <CampaignNotice campaign={campaign} />}
      {canRetry && !campaign && isUser() && (
        <div class="row">
          <SendAgain
            message={message}
            phones={phones}
            hasContact={contacts.record !== undefined}
            isOptedOut={isOptedOut}
            onSent={(id) => goToPage(`/messages/${id}`)}
          />
        </div>
      )}
    </>
  )
}

function renderReason(message: Message) {
  const reason = translateFailureReason(message.error_message)
  if (isOutcomeUnknown(message))
    return (
      <>
        <strong>{t('Outcome unknown.')}</strong>{' '}
        {t(
          'The device took the message and went silent. The text may have gone out, or not: ask the person before you send it again.',
        )}
      </>
    )
  if (isCanceledMessage(message)) return reason
  if (!reason) return t('It failed.')
  const fault = message.sent_at
    ? t('Not delivered: {fault}', { fault: reason })
    : t('Not sent: {fault}', { fault: reason })
  const advice = findRegistrationAdvice(message.error_message)
  return advice ? (
    <>
      {fault} <strong>{advice}</strong>
    </>
  ) : (
    fault
  )
}
