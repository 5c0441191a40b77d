import { cutBetweenGraphemes } from '../../portable/cut-text.ts'
import type { IncomingText } from './driver-interface.ts'

/** Maximum characters that the server accepts in an error message; below: in a sender and in a text. */
const MAX_REASON = 1_000
const MAX_SENDER = 50
const MAX_TEXT = 39_015
/** The server accepts dates from 1970 to 9999. */
const END_MS = Date.UTC(10_000, 0)

/** Cuts a long error text, because the server would refuse the report. */
export const cutReason = (error: string) => ({ error_message: error.slice(0, MAX_REASON) })

/** Makes a text acceptable to the server: replaces missing senders and invalid dates, cuts long fields. */
export function fitTextToServer({ from, body, subject, sim }: IncomingText, at: Date) {
  const ms = at.getTime()
  const received = ms >= 0 && ms < END_MS ? at : new Date()
  return {
    from: (from || 'unknown').slice(0, MAX_SENDER),
    body: cutBetweenGraphemes(body ?? '', MAX_TEXT).toWellFormed(),
    ...(subject && { subject }),
    sim,
    received_at: received.toISOString(),
  }
}
