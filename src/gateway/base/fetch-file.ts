import { AddressRefused } from '../../platform/outgoing/refuse-private-addresses.ts'
import { sendOutgoing } from '../../platform/outgoing/send-request.ts'

export interface FetchLimits {
  readonly allowPrivate: boolean
  /** On the monotonic clock, in ms. */
  readonly untilMs: number
}

/** A fetched file, or why there is none; `isLate`: perhaps later. `bytes`: how many were read. */
export type Fetched =
  | { readonly body: Buffer; readonly bytes: number }
  | {
      readonly body?: undefined
      readonly fault: string
      readonly bytes: number
      readonly isLate: boolean
    }

/** Statuses below 500 that are temporary. */
const PASSING = new Set([408, 425, 429])

/**
 * Fetches a file without credentials: an address may be of any host. Follows no redirects. Never rejects.
 */
export async function fetchFile(
  url: string,
  maxBytes: number,
  { allowPrivate, untilMs }: FetchLimits,
): Promise<Fetched> {
  const fail = (fault: string, bytes = 0, isLate = false) => ({ fault, bytes, isLate })
  if (!hasNoCredentials(url)) return fail('the address has a user name')
  const timeoutMs = untilMs - performance.now()
  // a timer may fire a fraction of a millisecond early
  if (timeoutMs < 1) return fail('there was no time left', 0, true)
  try {
    // one byte more than may be kept shows that a file is too large
    const limits = { allowPrivate, timeoutMs, maxBodyBytes: maxBytes + 1, bodyStatus: 200 }
    const request = { url, method: 'GET', headers: {}, body: undefined }
    const { status, body } = await sendOutgoing(request, limits)
    const { length } = body
    if (status !== 200)
      return fail(`it answered ${status}`, length, status >= 500 || PASSING.has(status))
    if (length === 0) return fail('it is empty')
    if (length > maxBytes) return fail(`it has more than ${maxBytes} bytes`, length)
    return { body, bytes: length }
  } catch (error) {
    if (error instanceof AddressRefused) return fail(error.message)
    return fail('it could not be reached', 0, true)
  }
}

/** Whether an address has no user name and password, which Node would send. */
function hasNoCredentials(url: string): boolean {
  const parsed = URL.parse(url)
  return !parsed || parsed.username + parsed.password === ''
}
