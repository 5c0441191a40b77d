import { ClientResponseError } from 'pocketbase'

/** What went wrong, in words for people. */
export interface Fault {
  readonly message: string
  /** Messages by field name, or by path: `smtp.host`. */
  readonly fields: Readonly<Record<string, string>>
  /** The code of a gateway error (`quota_exceeded`), or ''. */
  readonly code: string
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number
}

const AWAY = 'The server cannot be reached. Look at your connection and try again.'

/**
 * Any error as a fault: PocketBase's `{message, data}`, the gateway's `{error, message}`, no answer at all.
 */
export function faultOf(error: unknown): Fault {
  if (!(error instanceof ClientResponseError))
    return { message: String(error), fields: {}, code: '', status: 0 }
  const { status, response } = error
  if (status === 0) return { message: AWAY, fields: {}, code: '', status }
  const fields = fieldFaults(response.data ?? {})
  const message = String(response.message || error.message)
  return { message, fields, code: String(response.error ?? ''), status }
}

/** `8 character(s)` as people write it. */
const inPlural = (message: string) =>
  message.replace(/\b(\d+) (\w+)\(s\)/g, (_, count, noun) => `${count} ${noun}${count === '1' ? '' : 's'}`)

/** Messages by field; those of nested objects by their path, as `smtp.host`. */
function fieldFaults(data: unknown, path = ''): Record<string, string> {
  if (typeof data !== 'object' || data === null) return {}
  const entries = Object.entries(data as Record<string, { message?: unknown } | null>)
  return Object.fromEntries(
    entries.flatMap(([name, fault]) => {
      if (typeof fault?.message === 'string') return [[path + name, inPlural(fault.message)]]
      const inner = Object.entries(fieldFaults(fault, `${path}${name}.`))
      return inner.length > 0 ? inner : [[path + name, 'Is not right.']]
    }),
  )
}
