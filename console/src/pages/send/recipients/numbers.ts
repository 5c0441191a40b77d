import type { Recipient } from '../composition.ts'

/** Adds recipients, without those already in the list. `doubles`: how many were left out. */
export function withMore(
  recipients: readonly Recipient[],
  more: readonly Recipient[],
): { recipients: readonly Recipient[]; doubles: number } {
  const all = new Map(recipients.map((recipient) => [recipient.phone, recipient]))
  for (const recipient of more) if (!all.has(recipient.phone)) all.set(recipient.phone, recipient)
  return { recipients: [...all.values()], doubles: recipients.length + more.length - all.size }
}
