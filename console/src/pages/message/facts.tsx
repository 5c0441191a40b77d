import type { ComponentChildren } from 'preact'
import { countSegments } from '../../../../src/sms/send/segments.ts'
import type { Message } from '../../data/records.ts'
import { session } from '../../data/session.ts'
import { segmentsText } from '../../data/text/text-size.ts'
import { Owner } from '../../parts/owner.tsx'
import { to } from '../../router.ts'
import { Moment } from './moment.tsx'

type Fact = readonly [title: string, value: ComponentChildren]

const RETRY = 'retry:'

/** What there is to know of a message; what is not set is left out. */
export const Facts = ({ message }: { message: Message }) => (
  <dl class="message-facts">
    {factsOf(message).map(([title, value]) => (
      <div key={title}>
        <dt>{title}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)

function factsOf(message: Message): readonly Fact[] {
  const { sim, segments, body, priority, guarantee, batch_id, client_ref, message_type } = message
  const isOut = message_type === 'outgoing'
  const isSuperuser = session.value?.role === 'superuser'
  const facts: readonly (Fact | false)[] = [
    isSuperuser && ['User', <Owner key="user" record={message} />],
    ['Device', <DeviceLink key="device" message={message} />],
    sim > 0 && ['SIM', `Slot ${sim}`],
    [isOut ? 'Accepted' : 'Came in', <Moment key="created" at={message.created} />],
    message.scheduled_at !== '' && ['Not before', <Moment key="scheduled" at={message.scheduled_at} />],
    message.expires_at !== '' && ['Not after', <Moment key="expires" at={message.expires_at} />],
    isOut && message.sent_at !== '' && ['Sent', <Moment key="sent" at={message.sent_at} />],
    isOut && message.delivered_at !== '' && ['Arrived', <Moment key="delivered" at={message.delivered_at} />],
    segments > 0 && ['Size', sizeOf(body, segments)],
    isOut && priority !== 0 && ['Priority', priority],
    isOut && guarantee === 'at_least_once' && ['If the device goes silent', 'It is sent again'],
    batch_id !== '' && [
      'Part of',
      <a
        href={
          isSuperuser
            ? to('/messages', { filter: `batch_id = "${batch_id}"` })
            : to('/send', { batch: batch_id })
        }
      >
        one send to several people
      </a>,
    ],
    client_ref.startsWith(RETRY) && [
      'Second try of',
      <a href={to(`/messages/${client_ref.slice(RETRY.length)}`)}>the message that failed</a>,
    ],
    client_ref !== '' && !client_ref.startsWith(RETRY) && ['Reference', <code>{client_ref}</code>],
    ['Id', <code>{message.id}</code>],
  ]
  return facts.filter((fact) => fact !== false)
}

function DeviceLink({ message }: { message: Message }) {
  const { device, expand, status } = message
  if (device === '') return <span class="muted">{status === 'failed' ? 'None' : 'Not chosen yet'}</span>
  return <a href={to(`/devices/${device}`)}>{expand?.device?.name || 'A device'}</a>
}

/** Segments are what networks count and bill. */
function sizeOf(body: string, segments: number): string {
  const count = segmentsText(segments)
  if (body === '') return count
  const { encoding, units } = countSegments(body)
  const characters = `${units.toLocaleString()} ${encoding === 'GSM-7' ? 'characters' : 'characters (Unicode)'}`
  return `${count}, ${characters}`
}
