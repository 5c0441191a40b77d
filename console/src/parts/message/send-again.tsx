import { postRequest } from '../../data/client.ts'
import { nameDevice } from '../../data/device/lines.ts'
import type { Device, Message } from '../../data/record-types.ts'
import { useList } from '../../data/use/use-list.ts'
import { findAdvice, type KnownRecipient } from '../../data/words/advice.ts'
import { isOutcomeUnknown } from '../../data/words/message-states.ts'
import { t } from '../../language/words.ts'
import { askToConfirm } from '../dialog/dialog.tsx'
import { Button } from '../form/form.tsx'
import { runWithToast } from '../toast.tsx'

/** Besides the phone of the text, as many others get a button. */
const MOST_PHONES = 3

/** Reads the phones that were there last, if `ready`. */
export const usePhones = (ready: boolean): readonly Device[] =>
  useList<Device>('devices', {
    filter: 'enabled = true',
    sort: '-last_seen',
    perPage: MOST_PHONES + 1,
    ready,
  }).items

interface Props extends KnownRecipient {
  readonly message: Message
  readonly phones: readonly Device[]
  readonly kind?: 'plain' | 'quiet'
  /** Gets the id of the new text. */
  readonly onSent: (id: string) => void
}

/** The button that sends a failed text again, and one for each other phone; or what to do instead. */
export function SendAgain({ message, phones, kind = 'plain', onSent, ...recipient }: Props) {
  const instead = findAdvice(message, recipient)
  if (instead) return <span class="muted">{instead}</span>
  const others = phones.filter(({ id }) => id !== message.device).slice(0, MOST_PHONES)
  const again = async (device_id?: string) => {
    if (isOutcomeUnknown(message) && !(await askToConfirm(TWICE))) return
    const path = `/api/sms/messages/${message.id}/retry`
    const body = device_id ? { device_id } : undefined
    await runWithToast(
      async () => onSent((await postRequest<{ message_ids: [string] }>(path, body)).message_ids[0]),
      t('A new message with this text is being sent'),
    )
  }
  return (
    <>
      <Button kind={kind} icon="again" needs="agent" onClick={() => void again()}>
        {t('Send again')}
      </Button>
      {message.device !== '' &&
        others.map((phone) => (
          <Button key={phone.id} kind={kind} needs="agent" onClick={() => void again(phone.id)}>
            {t('Send by {device}', { device: nameDevice(phone) })}
          </Button>
        ))}
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
