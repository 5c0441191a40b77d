import { unindexed } from '../../db/by-id.ts'

/** Where a message is in its life. `received` is the one status of an incoming message. */
export const STATUSES = ['pending', 'assigned', 'sending', 'sent', 'delivered', 'failed', 'received'] as const
export type Status = (typeof STATUSES)[number]

/**
 * Where a message may go next. Every statement that changes a status takes its guard from here, so that none
 * goes back: the only way from `sending` to `assigned` is the proof that nothing was sent, or a guarantee
 * that allows to send twice.
 */
export const NEXT: Readonly<Record<Status, readonly Status[]>> = {
  pending: ['assigned', 'failed'],
  // pending: a pause takes back what no device has claimed
  assigned: ['assigned', 'pending', 'sending', 'failed'],
  // delivered: the report of the sending was lost or is late, and the delivery proves it
  sending: ['sent', 'delivered', 'failed', 'assigned'],
  sent: ['delivered', 'failed'],
  delivered: [],
  failed: [],
  received: [],
}

/** The statuses from which `to` can be reached. */
export function statusesBefore(to: Status): Status[] {
  return (Object.keys(NEXT) as Status[]).filter((from) => NEXT[from].includes(to))
}

/**
 * SQL: a message, a row by its alias, is where it may become `to` from: a superuser may have written another
 * status. By no index: with 200,000 in the queue a claim took 490 ms that takes 0.3.
 */
export const mayBecome = (alias: string, to: Status): string =>
  `${unindexed(`${alias}.status`)} in (${statusesBefore(to)
    .map((from) => `'${from}'`)
    .join(', ')})`

/** SQL: the same of the message that has this id, looked up for each row. */
export const idMayBecome = (id: string, to: Status): string =>
  `coalesce((select ${mayBecome('m', to)} from sms_messages m where m.id = ${id}), false)`

/** What users read in `error_message` when the gateway, and no device, ends a message. */
export const REASONS = {
  optedOut: 'Recipient has opted out',
  silent: 'Outcome unknown: the device went silent',
  restored: 'Outcome unknown: restored from a backup',
  expired: 'Expired before sending',
  canceled: 'Canceled',
  deviceDeleted: 'The device of this message was deleted',
  lineDeleted: 'The line of this message was deleted',
} as const
