import { FilterError } from '../../engine/filter/parse-filter.ts'
import { ApiError, GatewayError } from '../../platform/api-errors.ts'

const MAX_TEXT = 300

export const shortenText = (text: string | undefined, length = MAX_TEXT) =>
  text && text.length > length ? `${text.slice(0, length)}...` : (text ?? '')

/** Describes an error for the log, without values. Only standard output gets details of internal errors. */
export function describeFault(fault: unknown, url: string): { error?: string; details?: object } {
  if (fault === undefined) return {}
  if (fault instanceof FilterError)
    return { error: shortenText(hideUnknownNames(fault.message, url)) }
  if (fault instanceof ApiError) {
    const details = reduceToErrorCodes(fault.data)
    return {
      error: hideTexts(fault.message),
      ...(Object.keys(details).length > 0 && { details }),
    }
  }
  if (fault instanceof GatewayError) {
    const code = fault.body.error
    return { error: hideTexts(fault.message), ...(code !== undefined && { details: { code } }) }
  }
  const { name, code } = Object(fault) as { readonly name?: unknown; readonly code?: unknown }
  return { error: 'A fault of the server', details: { code: String(code ?? name ?? '') } }
}

/** Removes quoted texts that the logged URL does not have, as they may be values. Names of fields stay. */
const hideUnknownNames = (text: string, url: string) =>
  text.replace(/"(?:[^"\\]|\\(?:.|$))*(?:"|$)/gs, (quoted) =>
    url.includes(quoted.slice(1, -1)) ? quoted : '"…"',
  )

/** Removes long numbers and quoted texts, which may be parts of the request. */
const hideTexts = (text: string) =>
  shortenText(
    shortenText(text)
      .replace(/".*"/s, '"…"')
      .replace(/\+?\d{5,}/g, '…'),
  )

/** Keeps only the error codes, because `data` may contain values of the request. */
function reduceToErrorCodes(data: object): object {
  return Object.fromEntries(
    Object.entries(data).map(([name, error]) => [hideTexts(name), reduceToErrorCode(error)]),
  )
}

function reduceToErrorCode(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return '…'
  return 'code' in error && typeof error.code === 'string' ? error.code : reduceToErrorCodes(error)
}
