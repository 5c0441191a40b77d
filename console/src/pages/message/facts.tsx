import { countSegments } from '#portable/segments.ts'
import { nameDevice } from '../../data/device/lines.ts'
import type { Message } from '../../data/record-types.ts'
import { isUser } from '../../data/session.ts'
import { formatSegments } from '../../data/text/text-size.ts'
import { t } from '../../language/words.ts'
import { Owner } from '../../parts/owner.tsx'
import type { Fact } from '../../parts/page.tsx'
import { Moment } from '../../parts/time-line.tsx'
import { makePageHref } from '../../router.ts'
import { RETRY } from './use-retry.ts'

/** The details of a message, except unset ones. `sim`: the SIM's name if the device has several; else ''. */
export function listFacts(message: Message, sim: string): readonly (Fact | false)[] {
  const { segments, body, subject, priority, guarantee, batch_id, client_ref } = message
  const isOut = message.message_type === 'outgoing'
  const isSuperuser = !isUser()
  return [
    isSuperuser && [t('User'), <Owner record={message} />],
    [t('Device'), <DeviceLink message={message} />],
    sim !== '' && [t('Line'), sim],
    message.sim > 0 && sim === '' && ['SIM', t('Slot {slot}', { slot: message.sim })],
    [isOut ? t('Accepted') : t('Came in'), <Moment at={message.created} />],
    message.scheduled_at > message.created && [
      t('Scheduled for'),
      <Moment at={message.scheduled_at} />,
    ],
    message.expires_at !== '' && [t('Expires'), <Moment at={message.expires_at} />],
    isOut && message.sent_at !== '' && [t('Sent'), <Moment at={message.sent_at} />],
    isOut && message.delivered_at !== '' && [t('Arrived'), <Moment at={message.delivered_at} />],
    subject !== '' && [t('Subject'), subject],
    segments > 0 && [t('Size'), describeSize(body, segments)],
    isOut && priority !== 0 && [t('Priority'), priority],
    isOut &&
      guarantee === 'at_least_once' && [t('If the device goes silent'), t('It is sent again')],
    batch_id !== '' && [
      t('Part of'),
      <a
        href={
          isSuperuser
            ? makePageHref('/messages', { filter: `batch_id = "${batch_id}"` })
            : makePageHref('/send', { batch: batch_id })
        }
      >
        {t('a send to several people')}
      </a>,
    ],
    client_ref.startsWith(RETRY) && [
      t('Second try of'),
      <a href={makePageHref(`/messages/${client_ref.slice(RETRY.length)}`)}>
        {t('the message that failed')}
      </a>,
    ],
    client_ref !== '' &&
      !client_ref.startsWith(RETRY) && [t('Reference'), <code>{client_ref}</code>],
    [t('Id'), <code>{message.id}</code>],
  ]
}

function DeviceLink({ message }: { message: Message }) {
  const { device, expand, status } = message
  if (device === '')
    return <span class="muted">{status === 'failed' ? t('No device') : t('Not chosen yet')}</span>
  return (
    <a href={makePageHref(`/devices/${device}`)}>{nameDevice(expand?.device) || t('A device')}</a>
  )
}

function describeSize(body: string, segments: number): string {
  const count = formatSegments(segments)
  if (body === '') return count
  const { encoding, units } = countSegments(body)
  const characters =
    encoding === 'GSM-7'
      ? t('{units} characters', { units })
      : t('{units} characters (Unicode)', { units })
  return `${count}, ${characters}`
}
