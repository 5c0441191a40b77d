import type { SendingCaller } from '../../gateway/messages/require-sender.ts'
import type { Permission } from '../../http/allow-callers.ts'
import { asCaller } from '../../http/attempt.ts'
import { BodyTooLarge, readRawBody } from '../../http/body/raw-body.ts'
import type { RouteBound } from '../../http/bounds.ts'
import type { Ctx } from '../../http/request-context.ts'
import { ApiError, RetryLater } from '../../platform/api-errors.ts'
import { readCharset } from '../../platform/tools/charsets.ts'
import { type Description, describeRoute } from '../describe-route.ts'
import type { GatewayServices } from '../gateway-services.ts'
import { readQueryBytes } from '../read-parameters.ts'
import { BY_SID, type Call, requireAccount } from './identify-account.ts'
import { type Parameters, readParameters, refuseUnknown } from './parameters.ts'
import { parseSid } from './sids.ts'
import { INVALID, makeInvalidError, makeNotFoundError, TwilioRefusal } from './twilio-errors.ts'

/** The account of the credentials. Throws 401, and 404 if the path names another account. */
export const allowAccount: Permission<SendingCaller, GatewayServices> = {
  scopes: [],
  security: 'twilio',
  credentials: BY_SID,
  withCaller: (c, services, work) =>
    asCaller(c, services, 'checked', async (attempt) => {
      const account = requireAccount(attempt)
      const inPath = c.req.param('AccountSid')?.replace(/\.json$/, '')
      if (inPath !== undefined && parseSid('AC', inPath) !== account.user) throw makeNotFoundError()
      return work(account)
    }),
}

/** `allowAccount` with the parameters of the form, or of the query for a route without a form. */
const allowTwilioCall = ({
  query,
  form,
}: Pick<Description, 'query' | 'form'>): Permission<Call, GatewayServices> => ({
  ...allowAccount,
  withCaller: (c, services, work) => {
    // the parameters are read once, even if `retryRequest` repeats the work
    let given: Parameters | undefined
    return allowAccount.withCaller!(c, services, async (account) => {
      const sid = (c.req.param('Sid') ?? '').replace(/\.json$/, '')
      given ??= form ? await readForm(c) : readParameters(readQueryBytes(c))
      const known = query ?? form
      if (known) refuseUnknown(given, known)
      return work({ ...account, c, services, sid, parameters: given })
    })
  },
})

/** A row of Twilio's API. `scopes`: those that `run` asks for. */
export const defineTwilioRoute = (
  summary: string,
  bound: RouteBound,
  run: (call: Call) => Promise<unknown>,
  more: Omit<Description, 'summary'> = {},
  scopes: readonly string[] = [],
) => ({
  permission: { ...allowTwilioCall(more), scopes },
  bound,
  ...(more.form && { maxBytes: MAX_BODY_BYTES }),
  ...describeRoute({ summary, ...more }),
  run,
})

const MAX_BODY_BYTES = 1 << 20
const FORM = /^application\/x-www-form-urlencoded(?:\s*;|$)/i

/**
 * The parameters of a request's form. Throws 400 for a body that is no form, 413 for one that is too large.
 */
async function readForm(c: Ctx): Promise<Parameters> {
  const bytes = await readRawBody(c).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error instanceof RetryLater) throw error
    if (!(error instanceof BodyTooLarge))
      throw new TwilioRefusal(INVALID, error.message, error.status)
    throw new TwilioRefusal(INVALID, `The body must have at most ${MAX_BODY_BYTES} bytes`, 413)
  })
  if (bytes.length > 0 && !FORM.test(c.req.header('content-type') ?? ''))
    throw makeInvalidError('The body must be application/x-www-form-urlencoded')
  return readParameters(bytes, readCharset(c.req.header('content-type') ?? ''))
}
