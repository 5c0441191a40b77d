import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import { RetryLater } from '../api-errors.ts'
import { AddressRefused } from './refuse-private-addresses.ts'
import { sendOutgoing } from './send-request.ts'

export interface FetchLimits {
  readonly allowPrivate: boolean
  /** On the monotonic clock, in ms. */
  readonly untilMs: number
  /** Takes memory for the bytes that arrive, as in `sendOutgoing`. */
  readonly room?: (bytes: number) => Promise<void>
}

/**
 * A fetched file, or why there is none; `isLate`: perhaps later. `bytes`: how many were read. `type`: what
 * its host says, in lower case without parameters; '' for nothing.
 */
export type Fetched =
  | { readonly body: Buffer; readonly bytes: number; readonly type: string }
  | {
      readonly body?: undefined
      readonly fault: string
      readonly bytes: number
      readonly isLate: boolean
    }

/** Statuses below 500 that are temporary. */
const PASSING = new Set([408, 425, 429])

/** Statuses that name another address of the file. RFC 9110, 15.4 */
const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** Maximum redirects of a file: Twilio's files need one or two. */
const MAX_REDIRECTS = 10

/**
 * Fetches a file without credentials, as an address may be of any host. Follows redirects within the time and
 * bytes of the file: each address must be allowed, as the first. Rejects only with what `room` throws for
 * lack of memory.
 */
export async function fetchFile(
  url: string,
  maxBytes: number,
  { allowPrivate, untilMs, room }: FetchLimits,
): Promise<Fetched> {
  const fail = (fault: string, bytes = 0, isLate = false) => ({ fault, bytes, isLate })
  try {
    for (let [address, redirects] = [url, 0]; ; redirects++) {
      if (!hasNoCredentials(address)) return fail('the address has a user name')
      const timeoutMs = untilMs - performance.now()
      // a timer may fire a fraction of a millisecond early
      if (timeoutMs < 1) return fail('there was no time left', 0, true)
      // one byte more than may be kept shows that a file is too large
      const limits = { allowPrivate, timeoutMs, maxBodyBytes: maxBytes + 1, bodyStatus: 200, room }
      const request = { url: address, method: 'GET', headers: {}, body: undefined }
      const { status, headers, body } = await sendOutgoing(request, limits)
      const { length } = body
      const next = REDIRECTS.has(status) ? readLocation(headers, address) : undefined
      if (next !== undefined) {
        if (redirects === MAX_REDIRECTS)
          return fail(`it redirects more than ${MAX_REDIRECTS} times`)
        address = next
        continue
      }
      if (status !== 200)
        return fail(`it answered ${status}`, length, status >= 500 || PASSING.has(status))
      if (length === 0) return fail('it is empty')
      if (length > maxBytes) return fail(`it has more than ${maxBytes} bytes`, length)
      const type = (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase()
      return { body, bytes: length, type }
    }
  } catch (error) {
    if (error instanceof RetryLater) throw error
    if (error instanceof AddressRefused) return fail(error.message)
    return fail('it could not be reached', 0, true)
  }
}

/** The address to which a redirect leads; undefined for none. Node reads headers as Latin-1. */
function readLocation({ location }: IncomingHttpHeaders, base: string): string | undefined {
  const bytes = Buffer.from(location ?? '', 'latin1')
  if (bytes.length === 0) return undefined
  return URL.parse(isUtf8(bytes) ? bytes.toString() : location!, base)?.href
}

/** Whether an address has no user name and password, which Node would send. */
function hasNoCredentials(url: string): boolean {
  const parsed = URL.parse(url)
  return !parsed || parsed.username + parsed.password === ''
}
