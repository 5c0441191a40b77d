import { cleanText } from '../../fields/values/cast.ts'
import { urlFault } from '../../outgoing/addresses.ts'
import { invalid, TwilioRefusal } from './refusal.ts'

/** Parameters of a form or a query; the first of repeated ones counts. */
export type Parameters = ReadonlyMap<string, string>

const MAX_PARAMETERS = 200

/** The parameters of a form or a query as text. Throws 400 for more than 200. */
export function readParameters(text: string): Parameters {
  // counted first: a megabyte of `&` makes half a million pairs
  let end = -1
  for (let i = 0; i <= MAX_PARAMETERS; i++) {
    end = text.indexOf('&', end + 1)
    if (end < 0) break
    if (i === MAX_PARAMETERS) throw invalid(`A request has at most ${MAX_PARAMETERS} parameters`)
  }
  const parameters = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(text))
    if (!parameters.has(name)) parameters.set(name, cleanText(value))
  return parameters
}

/** Throws 20001 for a parameter that is not named here and not empty. */
export function refuseUnknown(parameters: Parameters, known: readonly string[]): void {
  for (const [name, value] of parameters)
    if (!known.includes(name) && value !== '') throw invalid(`${short(name)} is not supported here`)
}

/** A parameter's name, if it is safe to quote in a message. */
const short = (name: string) => (/^[\w<>.]{1,60}$/.test(name) ? name : 'A parameter')

const MAX_URL = 2_048

/** An address to call, '' for none. Throws `code` for one that is invalid or forbidden. */
export function readAddress(name: string, url: string, code: number, allowPrivate: boolean): string {
  const fault = url.length > MAX_URL ? 'not_a_url' : urlFault(url, allowPrivate)
  if (fault === undefined) return url
  if (fault === 'private' || fault === 'not_https')
    throw new TwilioRefusal(
      code,
      `${name} is private or plain http, which this server calls only with WEBHOOK_ALLOW_PRIVATE`,
    )
  throw new TwilioRefusal(code, `${name} must be an absolute http or https address`)
}
