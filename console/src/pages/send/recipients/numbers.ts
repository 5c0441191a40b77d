import { readPhone } from '../../../data/phone/phone-numbers.ts'
import type { Recipient } from '../composition.ts'

/** Between numbers; a space only between a number and a plus, or after `Anna <+49…>`. */
const BETWEEN = /[\n\r\t,]+|;(?!ext=|phone-context=)|(?<=\d\)?)\s+(?=\+)|(?<=>)\s+/

/** Several numbers, as they are pasted. */
export const isList = (text: string) => text.trim().split(BETWEEN).length > 1

/**
 * The numbers of a text, however they are written; those without a country are of `country`. What cannot be
 * read is kept as it was typed, with its fault.
 */
export function readNumbers(text: string, country: string): Recipient[] {
  const pieces = text.split(BETWEEN).map((piece) => piece.trim())
  return pieces.filter((piece) => piece !== '').map((piece) => readNumber(piece, country))
}

function readNumber(text: string, country: string): Recipient {
  const { phone = text, fault } = readPhone(text, country)
  return { phone, name: '', fault }
}

/** Recipients with more of them; who is there already is left out. `doubles`: how many those were. */
export function withMore(
  recipients: readonly Recipient[],
  more: readonly Recipient[],
): { recipients: readonly Recipient[]; doubles: number } {
  const all = new Map(recipients.map((recipient) => [recipient.phone, recipient]))
  for (const recipient of more) if (!all.has(recipient.phone)) all.set(recipient.phone, recipient)
  return { recipients: [...all.values()], doubles: recipients.length + more.length - all.size }
}
