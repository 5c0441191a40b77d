import { ClientResponseError } from 'pocketbase'
import { t } from '../language/words.ts'
import { findDatabaseFault } from './connection/database-fault.ts'
import { findSentence, translateFault } from './words/fault-sentences.ts'

export interface Fault {
  readonly message: string
  /** Error messages by field name. The name of a nested field is its path, for example `smtp.host`. */
  readonly fields: Readonly<Record<string, string>>
  /** The gateway's error code, for example `quota_exceeded`; '' if there is none. */
  readonly code: string
  /** The HTTP status; 0 if there was no answer, and for errors that are not from the server. */
  readonly status: number
  /** The server's own message, which `message` says in words for people. */
  readonly said?: string
  /** Whether the server could not be reached: the same request may succeed later. */
  readonly isAway?: boolean
  /** Whether a read failed for the database: the banner of the page says so, and it is read again. */
  readonly isInBanner?: boolean
  /** Whether a read failed, which is repeated when the connection is back. */
  readonly isRead?: boolean
}

const AWAY = t('The server cannot be reached. Check your connection and try again.')

/** Replaces the fault of an action without an answer once the server can be reached. */
export const BACK: Fault = {
  message: t('The connection is back. Try again.'),
  fields: {},
  code: '',
  status: 0,
}

/** How error messages of `fetch` begin if an answer is missing or cut off, in the three browsers. */
const NO_ANSWER =
  /^(?:Failed to fetch|NetworkError when|Load failed|network error|Error in input stream|The (?:network|Internet) connection|The request timed out|A server with the specified|Could not connect|cancelled)/i

/** Whether an error is one of `fetch`. Other errors are faults of the console, which repeat at each try. */
const isFetchError = (error: unknown) =>
  error instanceof DOMException || (error instanceof TypeError && NO_ANSWER.test(error.message))

/** Converts any error to a Fault: an answer in PocketBase's or the gateway's format, or a local error. */
export function readFault(error: unknown): Fault {
  if (!(error instanceof ClientResponseError)) {
    return makeLocalFault(error)
  }
  const { status, response } = error
  // the SDK wraps whatever was thrown during its request; without a cause there was no answer
  if (status === 0) return makeLocalFault(error.originalError ?? new DOMException())
  const fields = readFieldFaults(response.data ?? {})
  const said = String(response.message || error.message)
  return { message: translateFault(said), fields, code: String(response.error ?? ''), status, said }
}

/** The Fault of a read. The banner of the page alone shows one of the database or of the connection. */
export function readFaultOfRead(error: unknown): Fault {
  const fault = { ...readFault(error), isRead: true }
  return findDatabaseFault(fault.status, fault.said) ? { ...fault, isInBanner: true } : fault
}

function makeLocalFault(error: unknown): Fault {
  const isAway = isFetchError(error)
  const said = error instanceof Error ? error.message : String(error)
  return {
    message: isAway ? AWAY : (findSentence(said) ?? said),
    fields: {},
    code: '',
    status: 0,
    isAway,
  }
}

function readFieldFaults(data: unknown, path = ''): Record<string, string> {
  if (typeof data !== 'object' || data === null) return {}
  const entries = Object.entries(data as Record<string, { message?: unknown } | null>)
  return Object.fromEntries(
    entries.flatMap(([name, fault]) => {
      if (typeof fault?.message === 'string') return [[path + name, translateFault(fault.message)]]
      const inner = Object.entries(readFieldFaults(fault, `${path}${name}.`))
      return inner.length > 0 ? inner : [[path + name, t('Is not right.')]]
    }),
  )
}

/**
 * The text to show for a fault: its errors by field or, if no field has an error, its message. Leaves out
 * errors of the fields in `shown`, because these fields show them. '' if no error is left.
 */
export function describeFault({ message, fields }: Fault, shown: readonly string[] = []): string {
  const own = new Set(shown.map((name) => fields[name]))
  const others = Object.entries(fields).filter(
    ([name, said]) => !shown.includes(name) && !own.has(said),
  )
  if (others.length === 0) return Object.keys(fields).length > 0 ? '' : message
  const labels = Map.groupBy(others, ([, said]) => said)
  return [...labels]
    .map(([said, named]) =>
      t('{name}: {text}', { name: named.map(([name]) => makeLabel(name)).join(', '), text: said }),
    )
    .join(' ')
}

const LABELS: Readonly<Record<string, string>> = {
  body: t('Text'),
  phone: t('Number'),
  opted_out: t('Opted out'),
  monthly_quota: t('Quota'),
  member_only: t('Has an account of their own'),
  time_zone: t('Time zone'),
  oldPassword: t('Current password'),
  passwordConfirm: t('Password again'),
}

function makeLabel(name: string): string {
  const known = LABELS[name]
  if (known) return known
  const words = name
    .replaceAll(/[._]+/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
