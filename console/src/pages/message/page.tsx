import { useEffect, useState } from 'preact/hooks'
import { formatPhone } from '#portable/phone/format-phone.ts'
import { pb } from '../../data/client.ts'
import { lastList } from '../../data/message-list.ts'
import {
  type Campaign,
  findOtherNumber,
  type Message,
  type MessageEvent,
} from '../../data/record-types.ts'
import { hasTeamRole, isUser } from '../../data/session.ts'
import { useCampaign } from '../../data/use/use-campaign.ts'
import { useNames } from '../../data/use/use-known.ts'
import { useList } from '../../data/use/use-list.ts'
import { useRecord } from '../../data/use/use-record.ts'
import { useSims } from '../../data/use/use-sims.ts'
import { useTask } from '../../data/use/use-task.ts'
import { isOutcomeUnknown } from '../../data/words/message-states.ts'
import { t } from '../../language/words.ts'
import { Attachments } from '../../parts/attachments/attachments.tsx'
import { CampaignNotice } from '../../parts/campaign-notice.tsx'
import { askToConfirm } from '../../parts/dialog/dialog.tsx'
import { Button, ButtonLink, FaultNotice } from '../../parts/form/form.tsx'
import { Missing } from '../../parts/list/missing.tsx'
import { canCancel, WaitingActions } from '../../parts/message/waiting-actions.tsx'
import { Card, Facts, Page as Frame } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { MessageStatus, SimulatedBadge } from '../../parts/time.tsx'
import { TimeLine } from '../../parts/time-line.tsx'
import { showToast } from '../../parts/toast.tsx'
import { goToPage, makeConversationPath, makePageHref, type PageProps } from '../../router.ts'
import { makeSteps } from './steps.ts'
import './page.css'
import { listFacts } from './facts.tsx'
import { Outcome } from './outcome.tsx'
import { useRetry } from './use-retry.ts'

export function Page({ params }: PageProps) {
  const { id = '' } = params
  return <OneMessage key={id} id={id} />
}

function OneMessage({ id }: { id: string }) {
  const read = useRecord<Message>('sms_messages', id, chooseExpand())
  const { record } = read
  const events = useEvents(id, record)
  const next = useRetry(record)
  const campaign = useCampaign(record?.message_type === 'outgoing' ? record.sent_by : '')
  const number = record ? findOtherNumber(record) : ''
  const findName = useNames(isUser() ? [number] : [])
  const findSim = useSims(record ? [record] : [])
  if (!record)
    return (
      <Missing
        read={read}
        icon="messages"
        title={t('Message')}
        gone={t('There is no such message')}
        all={[makePageHref('/messages'), t('All messages')]}
      />
    )
  const isIn = record.message_type === 'incoming'
  const name = findName(number)
  return (
    <Frame
      title={makeTitle(isIn, name || formatPhone(number) || t('nobody'))}
      back={makeBackLink()}
      text={name && <PhoneNumber number={number} />}
      actions={<MessageActions message={record} campaign={campaign} />}
    >
      {campaign && canCancel(record) && <CampaignNotice campaign={campaign} />}
      <Outcome message={record} next={next} campaign={campaign} />
      <div class="message-columns">
        <Card
          title={t('Text')}
          actions={
            <span class="row">
              <SimulatedBadge device={record.expand?.device} />
              <MessageStatus message={record} />
            </span>
          }
        >
          <p class={isIn ? 'message-text in' : 'message-text'}>
            {record.body || <span class="muted">{t('The text was removed.')}</span>}
          </p>
          <Attachments record={record} />
          <Facts facts={listFacts(record, findSim(record))} />
        </Card>
        <Card title={t('What happened')}>
          <TimeLine steps={makeSteps(record, events)} />
        </Card>
      </div>
    </Frame>
  )
}

const makeTitle = (isIn: boolean, name: string) =>
  isIn ? t('From {name}', { name }) : t('To {name}', { name })

const makeBackLink = () => ({
  href: makePageHref('/messages', lastList.value),
  words: t('Messages'),
})

/** Only superusers see the message's owner. */
const chooseExpand = () => (isUser() ? 'device' : 'device,user')

const MOST_EVENTS = 200

/** The events of a message, read again when the message changes: the server changes it with each event. */
function useEvents(id: string, message: Message | undefined): readonly MessageEvent[] {
  const events = useList<MessageEvent>('sms_events', {
    filter: pb.filter('message = {:id}', { id }),
    sort: 'created,@rowid',
    expand: 'device',
    perPage: MOST_EVENTS,
    live: false,
    ready: message !== undefined,
  })
  const version = message && `${message.updated} ${message.status} ${message.device}`
  useEffect(() => {
    if (version) void events.reload()
  }, [version])
  return events.items
}

function MessageActions({
  message,
  campaign,
}: {
  message: Message
  campaign: Campaign | undefined
}) {
  const { id, message_type } = message
  const isMine = isUser()
  const [isChanging, setChanging] = useState(false)
  const remove = useTask(async () => {
    if (!(await askToConfirm(askToDelete(message)))) return
    await pb.collection('sms_messages').delete(id)
    showToast(t('Message deleted'))
    goToPage('/messages', lastList.value)
  })
  return (
    <>
      {isMine && !campaign && (
        <WaitingActions
          message={message}
          kind="plain"
          isChanging={isChanging}
          setChanging={setChanging}
        />
      )}
      {isMine && (
        <ButtonLink
          kind={isOutcomeUnknown(message) ? 'primary' : 'plain'}
          icon="conversations"
          href={makePageHref(makeConversationPath(findOtherNumber(message)))}
        >
          {message_type === 'incoming' && hasTeamRole('agent')
            ? t('Write an answer')
            : t('Conversation')}
        </ButtonLink>
      )}
      <Button kind="danger" icon="trash" needs="admin" task={remove}>
        {t('Delete')}
      </Button>
      <FaultNotice fault={remove.fault} />
    </>
  )
}

const askToDelete = (message: Message) => ({
  title: t('Delete the message?'),
  text: canCancel(message)
    ? t('The message is canceled, and deleted with its history.')
    : message.status === 'sending'
      ? t(
          'The message is deleted with its history. The device has the text already, and may still send it.',
        )
      : t('The message is deleted with its history. A sent text stays sent.'),
  action: t('Delete'),
  danger: true,
})
