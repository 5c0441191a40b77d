import { findOtherNumber, type Message } from '../../data/record-types.ts'
import { t } from '../../language/words.ts'
import { Icon } from '../icon.tsx'
import './message-party.css'
import { PhoneNumber } from '../phone-number.tsx'

/** The sender or recipient of a message: an arrow for the direction, the contact's name, the number. */
export function MessageParty({
  message,
  findName,
}: {
  message: Pick<Message, 'message_type' | 'to' | 'from'>
  findName: (number: string) => string
}) {
  const isIn = message.message_type === 'incoming'
  const number = findOtherNumber(message)
  const name = findName(number)
  return (
    <span class="who">
      <Icon name={isIn ? 'in' : 'out'} size={15} />
      <span class="unseen">{isIn ? t('From') : t('To')}</span>
      <span class={name ? 'cut' : 'who-number-only'}>
        {name || (number ? <PhoneNumber number={number} /> : t('Unknown'))}
      </span>
      {name && (
        <span class="who-number">
          <PhoneNumber number={number} />
        </span>
      )}
    </span>
  )
}
