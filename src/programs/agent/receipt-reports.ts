import { cutReason } from './server-limits.ts'

/** A failed delivery proves acceptance, even before the answer: it is no refusal, and may cost its price. */
export const makeReceiptReports = (error: string, channel?: 'rcs') =>
  error === ''
    ? [{ status: 'delivered', ...(channel && { channel }) }]
    : [{ status: 'sent' }, { status: 'failed', ...cutReason(error) }]
