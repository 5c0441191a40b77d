import { useEffect } from 'preact/hooks'
import { formatPhone } from '#portable/phone/format.ts'
import { countSegments } from '#portable/segments.ts'
import { pb } from '../../data/client.ts'
import { deviceName } from '../../data/device/lines.ts'
import { lastList } from '../../data/message-list.ts'
import type { Message, MessageEvent } from '../../data/records.ts'
import { session } from '../../data/session.ts'
import { segmentsText } from '../../data/text/text-size.ts'
import { useNames } from '../../data/use/use-known.ts'
import { useSims } from '../../data/use/use-lines.ts'
import { useList } from '../../data/use/use-list.ts'
import { useRecord } from '../../data/use/use-record.ts'
import { failureReason, isCanceled } from '../../data/words/failure-reasons.ts'
import { MESSAGE_STATES } from '../../data/words/message-states.ts'
import { locale } from '../../language/language.ts'
import { t, tx } from '../../language/words.ts'
import type { PageProps } from '../../pages.ts'
import { Attachments } from '../../parts/attachments/attachments.tsx'
import { Notice } from '../../parts/form/form.tsx'
import { Missing } from '../../parts/list/missing.tsx'
import { Owner } from '../../parts/owner.tsx'
import { Card, type Fact, Facts, Page as Frame } from '../../parts/page.tsx'
import { PhoneNumber } from '../../parts/phone-number.tsx'
import { MessageStatus, msOf, SimulatedBadge, Time } from '../../parts/time.tsx'
import { to } from '../../router.ts'
import { isUnknown, MessageActions } from './actions.tsx'
import { type Step, stepsOf } from './steps.ts'
import './page.css'

const MOST_EVENTS = 200

export function Page({ params }: PageProps) {
  const { id = '' } = params
  return <OneMessage key={id} id={id} />
}

function OneMessage({ id }: { id: string }) {
  const read = useRecord<Message>('sms_messages', id, expandOf())
  const { record } = read
  const events = useEvents(id, record)
  const next = useRetry(record)
  const number = record ? numberOf(record) : ''
  const nameOf = useNames(session.value?.role === 'user' ? [number] : [])
  const simOf = useSims(record ? [record] : [])
  if (!record)
    return (
      <Missing
        {...{ read, icon: 'messages', title: t('Message'), gone: t('This message is not here') }}
        all={[to('/messages'), t('All messages')]}
      />
    )
  const isIn = record.message_type === 'incoming'
  const name = nameOf(number)
  return (
    <Frame
      title={titleOf(isIn, name || formatPhone(number) || t('nobody'))}
      back={back()}
      text={name && <PhoneNumber number={number} />}
    >
      <MessageActions message={record} next={next} />
      <Outcome message={record} next={next} />
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
          <Facts facts={factsOf(record, simOf(record))} />
        </Card>
        <Card title={t('What happened')}>
          <TimeLine steps={stepsOf(record, events)} />
        </Card>
      </div>
    </Frame>
  )
}

const titleOf = (isIn: boolean, name: string) =>
  isIn ? t('From {name}', { name }) : t('To {name}', { name })

const back = () => ({ href: to('/messages', lastList.value), words: t('Messages') })

const numberOf = ({ message_type, from, to: recipient }: Message) =>
  message_type === 'incoming' ? from : recipient

/** Only superusers see the message's owner. */
const expandOf = () => (session.value?.role === 'superuser' ? 'device,user' : 'device')

/** The events of a message, read again when the message changes: each event comes with such a change. */
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

function Outcome({ message, next }: { message: Message; next: Message | undefined }) {
  if (message.status !== 'failed') return null
  const again = next && (
    <>
      {' '}
      {tx('It was sent again: {link}.', {
        link: <a href={to(`/messages/${next.id}`)}>{t('the new message')}</a>,
      })}
    </>
  )
  if (isUnknown(message))
    return (
      <Notice kind="warning">
        <strong>{t('Outcome unknown.')}</strong>{' '}
        {t(
          'The device took the message and went silent. The text may have gone out, or not: ask the person before you send it again.',
        )}
        {again}
      </Notice>
    )
  return (
    <Notice kind={next || isCanceled(message) ? 'info' : 'wrong'}>
      {failureReason(message.error_message) || t('It failed.')}
      {again}
    </Notice>
  )
}

const TimeLine = ({ steps }: { steps: readonly Step[] }) => (
  <ol class="message-line">
    {steps.map(({ id, state, words, at, detail }) => (
      <li key={id} class={MESSAGE_STATES[state][0]}>
        <span class="message-step">{words}</span>
        <Moment at={at} />
        {detail && <span class="message-detail">{detail}</span>}
      </li>
    ))}
  </ol>
)

function useRetry(message: Message | undefined): Message | undefined {
  const isFailed = message?.status === 'failed' && message.message_type === 'outgoing'
  const filter = pb.filter('client_ref = {:ref}', { ref: `retry:${message?.id}` })
  const found = useList<Message>('sms_messages', { filter, perPage: 1, live: false, ready: isFailed })
  return isFailed ? found.items[0] : undefined
}

const RETRY = 'retry:'

/** The details of a message, except unset ones. `sim`: the SIM's name if the device has several; else ''. */
function factsOf(message: Message, sim: string): readonly (Fact | false)[] {
  const { segments, body, priority, guarantee, batch_id, client_ref, message_type } = message
  const isOut = message_type === 'outgoing'
  const isSuperuser = session.value?.role === 'superuser'
  return [
    isSuperuser && [t('User'), <Owner key="user" record={message} />],
    [t('Device'), <DeviceLink key="device" message={message} />],
    sim !== '' && [t('Line'), sim],
    message.sim > 0 && sim === '' && ['SIM', t('Slot {slot}', { slot: message.sim })],
    [isOut ? t('Accepted') : t('Came in'), <Moment key="created" at={message.created} />],
    message.scheduled_at !== '' && [t('Scheduled for'), <Moment key="scheduled" at={message.scheduled_at} />],
    message.expires_at !== '' && [t('Expires'), <Moment key="expires" at={message.expires_at} />],
    isOut && message.sent_at !== '' && [t('Sent'), <Moment key="sent" at={message.sent_at} />],
    isOut &&
      message.delivered_at !== '' && [t('Arrived'), <Moment key="delivered" at={message.delivered_at} />],
    segments > 0 && [t('Size'), sizeOf(body, segments)],
    isOut && priority !== 0 && [t('Priority'), priority],
    isOut && guarantee === 'at_least_once' && [t('If the device goes silent'), t('It is sent again')],
    batch_id !== '' && [
      t('Part of'),
      <a
        href={
          isSuperuser
            ? to('/messages', { filter: `batch_id = "${batch_id}"` })
            : to('/send', { batch: batch_id })
        }
      >
        {t('one send to several people')}
      </a>,
    ],
    client_ref.startsWith(RETRY) && [
      t('Second try of'),
      <a href={to(`/messages/${client_ref.slice(RETRY.length)}`)}>{t('the message that failed')}</a>,
    ],
    client_ref !== '' && !client_ref.startsWith(RETRY) && [t('Reference'), <code>{client_ref}</code>],
    [t('Id'), <code>{message.id}</code>],
  ]
}

function DeviceLink({ message }: { message: Message }) {
  const { device, expand, status } = message
  if (device === '')
    return <span class="muted">{status === 'failed' ? t('No device') : t('Not chosen yet')}</span>
  return <a href={to(`/devices/${device}`)}>{deviceName(expand?.device) || t('A device')}</a>
}

function sizeOf(body: string, segments: number): string {
  const count = segmentsText(segments)
  if (body === '') return count
  const { encoding, units } = countSegments(body)
  const characters =
    encoding === 'GSM-7' ? t('{units} characters', { units }) : t('{units} characters (Unicode)', { units })
  return `${count}, ${characters}`
}

const exact = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' })

/** An instant to the second, and how long ago that is. Nothing for an empty date. */
function Moment({ at }: { at: string }) {
  const ms = msOf(at)
  if (Number.isNaN(ms)) return null
  return (
    <span class="message-moment">
      {exact.format(ms)}{' '}
      <span class="muted">
        (<Time at={at} />)
      </span>
    </span>
  )
}
