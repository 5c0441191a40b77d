import { readPhone } from '../../../data/phone.ts'
import type { Recipient } from '../composition.ts'

/** Between numbers; a space only where the next one begins with a plus. */
const BETWEEN = /[\n\r\t,;]+|\s+(?=\+)/

/** Several numbers, as they are pasted. */
export const isList = (text: string) => text.trim().split(BETWEEN).length > 1

/**
 * The numbers of a text, cleaned of spaces, dashes, brackets and a leading 00; what is no number is a bad
 * one.
 */
export function readNumbers(text: string): Recipient[] {
  const pieces = text.split(BETWEEN).map((piece) => piece.trim())
  return pieces.filter((piece) => piece !== '').map(readNumber)
}

function readNumber(text: string): Recipient {
  const phone = readPhone(text)
  return { phone: phone ?? text, name: '', isBad: phone === undefined }
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
