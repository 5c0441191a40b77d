import { t } from '../../language/words.ts'
import type { Message } from '../record-types.ts'

/** Facts about the recipient of a text. */
export interface KnownRecipient {
  readonly hasContact: boolean
  readonly isOptedOut: boolean
}

/** How a number that has opted out gets texts again. */
export const describeWayBack = (hasContact: boolean): string =>
  hasContact
    ? t(
        'This number gets texts again when it has sent START, or when somebody unticks “Opted out”. Where proof of consent is required, unticking is not enough.',
      )
    : t(
        'This number gets texts again when it has sent START, or when somebody saves it as a contact and then unticks “Opted out”. Where proof of consent is required, unticking is not enough.',
      )

/** Advice about a failed text that the server would not send again; '' for others. */
export function findAdvice(
  { error_message, body }: Pick<Message, 'error_message' | 'body'>,
  { hasContact, isOptedOut }: KnownRecipient,
): string {
  if (error_message === 'Recipient is on the stop list')
    return t('This person was erased and gets no more texts.')
  if (isOptedOut) return describeWayBack(hasContact)
  if (error_message === 'Recipient has opted out')
    return t('Sending it again is not possible. If the person wants texts again, write a new one.')
  if (error_message === 'No proof of consent')
    return t('Record the consent in the contact first. Then write a new text.')
  return body === '' ? t('The text is not kept any more. Write a new one.') : ''
}
