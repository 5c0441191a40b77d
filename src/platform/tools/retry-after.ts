import type { IncomingHttpHeaders } from 'node:http'

/**
 * Seconds that an answer's `Retry-After` asks to wait; 0 for none. A date counts from the answer's own
 * `Date`, because the clocks of two computers differ. RFC 9110, 5.6.7 and 10.2.3
 */
export function readRetryAfter(headers: IncomingHttpHeaders, now = new Date()): number {
  const text = headers['retry-after']?.trim() ?? ''
  if (/^\d{1,9}(\.\d{1,9})?$/.test(text)) return Number(text)
  // the form of asctime has no zone, and means GMT
  const untilMs = Date.parse(/^[A-Z][a-z]{2} /.test(text) ? `${text} GMT` : text)
  const answeredMs = Date.parse(headers.date ?? '') || now.getTime()
  return Number.isNaN(untilMs) ? 0 : Math.max(0, (untilMs - answeredMs) / 1000)
}
