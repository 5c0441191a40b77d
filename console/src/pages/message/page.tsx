import { formatPhone } from '#portable/phone/format.ts'
import { lastList } from '../../data/message-list.ts'
import type { Message } from '../../data/record-types.ts'
import { otherNumber } from '../../data/record-types.ts'
import { isUser } from '../../data/session.ts'
import { useCampaign } from '../../data/use/use-campaign.ts'
import { useNames } from '../../data/use/use-known.ts'
import { useRecord } from '../../data/use/use-record.ts'
import { useSims } from '../../data/use/use-sims.ts'
import { t } from '../../language/words.ts'
import type { PageProps } from '../../pages.ts'
import { Attachments } from '../../parts/attachments/attachments.tsx'
import { CampaignNotice } from '../../parts/campaign-notice.tsx'
import { Missing } from '../../parts/list/missing.tsx'
import { canCancel } from '../../parts/message/waiting-actions.tsx'
import { Card, Facts, Page as Frame } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { MessageStatus, SimulatedBadge } from '../../parts/time.tsx'
import { TimeLine } from '../../parts/time-line.tsx'
import { to } from '../../router.ts'
import { MessageActions } from './actions.tsx'
import { Outcome } from './outcome.tsx'
import { makeSteps } from './steps.ts'
import './page.css'
import { listFacts } from './facts.tsx'
import { useEvents } from './use-events.ts'
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
  const number = record ? otherNumber(record) : ''
  const findName = useNames(isUser() ? [number] : [])
  const findSim = useSims(record ? [record] : [])
  if (!record)
    return (
      <Missing
        read={read}
        icon="messages"
        title={t('Message')}
        gone={t('This message is not here')}
        all={[to('/messages'), t('All messages')]}
      />
    )
  const isIn = record.message_type === 'incoming'
  const name = findName(number)
  return (
    <Frame
      title={makeTitle(isIn, name || formatPhone(number) || t('nobody'))}
      back={back()}
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
          <Attachments message={record} />
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

const back = () => ({ href: to('/messages', lastList.value), words: t('Messages') })

/** Only superusers see the message's owner. */
const chooseExpand = () => (isUser() ? 'device' : 'device,user')
