import { admission } from '../../admission/admission.ts'
import type { Ticket } from '../../admission/ticket.ts'

/** Reading a filter up to this length costs no more than the rest of the request. */
const FREE_READING = 500
/** Cost of reading a character, relative to compiling it. */
const READING_SHARE = 0.5

/** Charges a client's new filter and sort by length. Throws RetryLater (429). */
export function spendShape(ticket: Ticket | undefined, length: number): void {
  if (ticket && !ticket.isSuperuser && length > 0) admission.filterShapes.take(ticket.holder, length)
}

/** Charges for parsing a filter, valid or not. Throws RetryLater (429). */
export function spendReading(ticket: Ticket | undefined, length: number): void {
  spendShape(ticket, Math.max(0, length - FREE_READING) * READING_SHARE)
}
