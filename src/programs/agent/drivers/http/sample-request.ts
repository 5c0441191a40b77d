import { UserError } from '../../../../platform/api-errors.ts'
import { refuseAddress } from '../../../../platform/outgoing/refuse-private-addresses.ts'
import { maskSecrets } from '../../../../platform/tools/mask-secrets.ts'
import type { Carrier } from './carrier-account.ts'
import { fillRequest, SAMPLE } from './fill-request.ts'

/** Maximum characters of the request for the sample: the search for secrets takes time for each. */
const MAX_REQUEST = 8_000

const FILE = { name: 'a.jpg', type: 'image/jpeg', size: 1, url: 'https://example.com/a.jpg' }
const SAMPLE_MMS = { ...SAMPLE, subject: 'Hello', attachments: [FILE] }

/**
 * The request for a sample text, with masked secrets. Throws a UserError for a wrong template, and for an
 * address to which no request is allowed.
 */
export function makeSampleRequest(carrier: Carrier): string {
  try {
    const { method, url, headers, body = '' } = fillRequest(carrier, SAMPLE)
    refuseAddress(url, carrier.allowPrivate)
    const { send, mms } = carrier.interface
    for (const { path = send.path, body, item } of mms)
      fillRequest(carrier, SAMPLE_MMS, { ...send, path, body, item })
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const text = [`${method} ${url}`, ...head, '', body].join('\n').trimEnd()
    if (text.length > MAX_REQUEST)
      throw new UserError(
        `The request for a short text must have at most ${MAX_REQUEST} characters.`,
      )
    return maskSecrets(text, [carrier.secret, carrier.webhook_secret].filter(Boolean))
  } catch (error) {
    throw new UserError((error as Error).message.replace('The body', 'The preset'))
  }
}
