import { ApiError, RetryLater } from '../../errors.ts'
import { type Parameters, readParameters } from '../../twilio/parameters.ts'
import { INVALID, invalid, TwilioRefusal } from '../../twilio/refusal.ts'
import { readBytes } from '../body/bytes.ts'
import type { Ctx } from '../context.ts'

const MAX_BODY_BYTES = 1 << 20
const FORM = /^application\/x-www-form-urlencoded(?:\s*;|$)/i

/** The parameters of a request's form, read once. Throws 400 for a body that is no form, 413. */
export async function readForm(c: Ctx): Promise<Parameters> {
  const known = forms.get(c)
  if (known) return known
  const { bytes, leave } = await readBytes(c.env.incoming, MAX_BODY_BYTES, c.get('holder')).catch(
    (error: unknown) => {
      if (!(error instanceof ApiError) || error instanceof RetryLater) throw error
      throw new TwilioRefusal(INVALID, `The body must have at most ${MAX_BODY_BYTES} bytes`, 413)
    },
  )
  try {
    const type = c.req.header('content-type')
    if (bytes.length > 0 && !FORM.test(type ?? ''))
      throw invalid('The body must be application/x-www-form-urlencoded')
    const form = readParameters(bytes.toString('utf8'))
    forms.set(c, form)
    return form
  } finally {
    leave?.()
  }
}

/** A request may be worked on twice, its body comes once. */
const forms = new WeakMap<Ctx, Parameters>()

/** The parameters of a request's query. */
export function readQueryOf(c: Ctx): Parameters {
  const url = c.env.incoming.url ?? ''
  const at = url.indexOf('?')
  return readParameters(at < 0 ? '' : url.slice(at + 1))
}
