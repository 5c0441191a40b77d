import { postRequest } from '../../data/client.ts'
import { nameDevice } from '../../data/device/lines.ts'
import type { Contact, Device, Message } from '../../data/record-types.ts'
import { useList } from '../../data/use/use-list.ts'
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

interface Props {
  readonly message: Message
  readonly phones: readonly Device[]
  /** The recipient, if known. */
  readonly contact?: Contact
  readonly kind?: 'plain' | 'quiet'
  /** Gets the id of the new text. */
  readonly onSent: (id: string) => void
}

/** The button that sends a failed text again, and one for each other phone; or what to do instead. */
export function SendAgain({ message, phones, contact, kind = 'plain', onSent }: Props) {
  const instead = findAdvice(message, contact)
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

export const TEXTS_AGAIN = t(
  'This number gets texts again when it has sent START, or when somebody unticks “Opted out”. Where proof of consent is required, unticking is not enough.',
)

/** What to do about a failed text that the server would not send again; '' for others. */
function findAdvice({ error_message, body }: Message, contact: Contact | undefined): string {
  if (error_message === 'Recipient is on the stop list')
    return t('This person was erased and gets no more texts.')
  if (contact?.opted_out) return TEXTS_AGAIN
  if (error_message === 'Recipient has opted out')
    return t('Sending it again is not possible. If the person wants texts again, write a new one.')
  if (error_message === 'No proof of consent')
    return t('Record the consent in the contact first. Then write a new text.')
  return body === '' ? t('The text is not kept any more. Write a new one.') : ''
}

const TWICE = {
  title: t('Send it again?'),
  text: t(
    'The device went silent before it said what became of the text. It may have gone out: sending it again may reach the person twice.',
  ),
  action: t('Send it again'),
}
