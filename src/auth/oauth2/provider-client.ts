import { sendOutgoing } from '../../outgoing/send.ts'

/** All that a provider is asked for one sign-in. */
const TIMEOUT_MS = 30_000
/** A profile, a token or a set of keys is no longer. */
const MAX_BODY_BYTES = 1 << 20

/** An answer of a provider, whole. */
export interface ProviderResponse {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** A provider within reach: each call takes from the same half minute. */
export type ProviderClient = (
  url: string,
  request?: { readonly headers?: Readonly<Record<string, string>>; readonly post?: string },
) => Promise<ProviderResponse>

/**
 * How a provider is called. Its addresses are a superuser's choice, as the mail server's is, so they may be
 * private: a company's own provider is inside of its network. Rejects when nothing answers in time.
 */
export function providerClient(): ProviderClient {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  return async (url, { headers = {}, post } = {}) => {
    const {
      status,
      body,
      headers: answered,
    } = await sendOutgoing(
      {
        url,
        method: post === undefined ? 'GET' : 'POST',
        headers: { accept: 'application/json', 'user-agent': 'pocketsms', ...headers },
        body: post,
      },
      { allowPrivate: true, maxBodyBytes: MAX_BODY_BYTES, timeoutMs: TIMEOUT_MS, signal },
    )
    return { status, type: answered['content-type'] ?? '', text: body.toString('utf8') }
  }
}
