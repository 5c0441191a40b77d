import { findUrlFault } from '../../platform/outgoing/refuse-private-addresses.ts'
import { decodeForm } from '../../platform/tools/charsets.ts'
import { cleanText } from '../../platform/tools/clean-text.ts'
import { makeInvalidError, TwilioRefusal } from './twilio-errors.ts'

/** Parameters of a form or a query; the first of repeated ones counts. `MediaUrl` has all, a line each. */
export type Parameters = ReadonlyMap<string, string>

const MAX_PARAMETERS = 200
export const MEDIA = 'MediaUrl'

/** The parameters of a form or a query, by its charset. Throws 400 for more than 200 and for wrong bytes. */
export function readParameters(bytes: Buffer, charset = ''): Parameters {
  const pairs = decodeForm(bytes, charset, MAX_PARAMETERS + 1)
  if (pairs.length > MAX_PARAMETERS)
    throw makeInvalidError(`A request has at most ${MAX_PARAMETERS} parameters`)
  const parameters = new Map<string, string>()
  for (const [name, value] of pairs)
    if (!parameters.has(name)) parameters.set(name, cleanText(value))
    else if (name === MEDIA) parameters.set(name, `${parameters.get(name)}\n${cleanText(value)}`)
  return parameters
}

/** Throws TwilioRefusal 20001 for a parameter that is not in `known`, unless it is empty. */
export function refuseUnknown(parameters: Parameters, known: readonly string[]): void {
  for (const [name, value] of parameters)
    if (!known.includes(name) && value !== '')
      throw makeInvalidError(`${SHORT.test(name) ? name : 'A parameter'} is not supported here`)
}

/** A parameter's name that is safe to quote in an error message. */
const SHORT = /^[\w<>.]{1,60}$/

const MAX_URL = 2_048

/** Returns `url` if it may be called. Throws a TwilioRefusal with `code` if it is invalid or forbidden. */
export function readAddress(
  name: string,
  url: string,
  code: number,
  allowPrivate: boolean,
): string {
  const fault = url.length > MAX_URL ? 'not_a_url' : findUrlFault(url, allowPrivate)
  if (fault === undefined) return url
  if (fault === 'private' || fault === 'not_https')
    throw new TwilioRefusal(
      code,
      `${name} is private or plain http, which this server calls only with WEBHOOK_ALLOW_PRIVATE`,
    )
  throw new TwilioRefusal(code, `${name} must be an absolute http or https address`)
}

/** A number in E.164, a short code, or an alphanumeric sender. */
const SENDER = /^(?:\+[1-9]\d{6,14}|\d{3,8}|(?=.*[a-z])[a-z\d +_&-]{1,11})$/i

/**
 * Checks FallbackFrom, the sender of a text that RCS cannot deliver: it has no effect here. Throws a
 * TwilioRefusal.
 */
export function checkFallbackFrom(parameters: Parameters): void {
  const sender = parameters.get('FallbackFrom') ?? ''
  if (sender === '') return
  if (parameters.get('From'))
    throw new TwilioRefusal(21664, "'FallbackFrom' cannot be used with 'From'")
  if (!parameters.get('MessagingServiceSid'))
    throw new TwilioRefusal(21666, "'FallbackFrom' requires MessagingServiceSid")
  if (!SENDER.test(sender)) throw new TwilioRefusal(21665, "Invalid 'FallbackFrom' sender")
}
