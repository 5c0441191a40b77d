import { remembered } from '../../data/remembered.ts'

/** By number, when this browser last showed the conversation. */
const readUntil = remembered<Readonly<Record<string, string>>>('conversations-read', {})

/** Whether something came in that this browser has not shown. */
export const isUnread = (number: string, heardAt: string): boolean =>
  heardAt !== '' && heardAt > (readUntil.value[number] ?? '')

/** Takes note that all until then was shown. */
export function markRead(number: string, until: string): void {
  if (isUnread(number, until)) readUntil.value = { ...readUntil.value, [number]: until }
}
