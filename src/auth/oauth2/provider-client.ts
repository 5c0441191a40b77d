import { sendOutgoing } from '../../outgoing/send.ts'

/** Time for all requests to a provider in one sign-in. */
const TIMEOUT_MS = 30_000
const MAX_BODY_BYTES = 1 << 20

export interface ProviderResponse {
  readonly status: number
  readonly type: string
  readonly text: string
}

export type ProviderClient = (
  url: string,
  request?: { readonly headers?: Readonly<Record<string, string>>; readonly post?: string },
) => Promise<ProviderResponse>

/** A client for one sign-in. Private addresses are allowed: a superuser configures them. */
export function providerClient(): ProviderClient {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  return async (url, { headers = {}, post } = {}) => {
    const answer = await sendOutgoing(
      {
        url,
        method: post === undefined ? 'GET' : 'POST',
        headers: { accept: 'application/json', 'user-agent': 'pocketsms', ...headers },
        body: post,
      },
      { allowPrivate: true, maxBodyBytes: MAX_BODY_BYTES, timeoutMs: TIMEOUT_MS, signal },
    )
    const type = answer.headers['content-type'] ?? ''
    return { status: answer.status, type, text: answer.body.toString('utf8') }
  }
}
