import type { Recipient } from '../composition.ts'

/** Recipients with more of them; who is there already is left out. `doubles`: how many those were. */
export function withMore(
  recipients: readonly Recipient[],
  more: readonly Recipient[],
): { recipients: readonly Recipient[]; doubles: number } {
  const all = new Map(recipients.map((recipient) => [recipient.phone, recipient]))
  for (const recipient of more) if (!all.has(recipient.phone)) all.set(recipient.phone, recipient)
  return { recipients: [...all.values()], doubles: recipients.length + more.length - all.size }
}
