import { cutReason } from './server-limits.ts'

/**
 * The reports on a carrier's or network's receipt. A failed delivery proves that the text was accepted, even
 * if the answer is still on its way: it is no refusal, and may cost its price.
 */
export const makeReceiptReports = (error: string, channel?: 'rcs') =>
  error === ''
    ? [{ status: 'delivered', ...(channel && { channel }) }]
    : [{ status: 'sent' }, { status: 'failed', ...cutReason(error) }]
