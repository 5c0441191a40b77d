import { ClientResponseError } from 'pocketbase'
import { t } from '../language/words.ts'
import { inWords } from './words/fault-sentences.ts'

export interface Fault {
  readonly message: string
  /** Messages by field name, or by path: `smtp.host`. */
  readonly fields: Readonly<Record<string, string>>
  /** The code of a gateway error (`quota_exceeded`), or ''. */
  readonly code: string
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number
}

const AWAY = t('The server cannot be reached. Look at your connection and try again.')

/** Browsers' messages when `fetch` gets no answer: Chromium, Firefox, Safari. */
const NO_ANSWER = /^(?:Failed to fetch|NetworkError when|Load failed)/

/**
 * Any error as a fault: PocketBase's `{message, data}`, the gateway's `{error, message}`, no answer at all.
 */
export function faultOf(error: unknown): Fault {
  if (!(error instanceof ClientResponseError)) {
    const said = error instanceof Error ? error.message : String(error)
    const isAway = error instanceof TypeError && NO_ANSWER.test(said)
    return { message: isAway ? AWAY : said, fields: {}, code: '', status: 0 }
  }
  const { status, response } = error
  if (status === 0) return { message: AWAY, fields: {}, code: '', status }
  const fields = fieldFaults(response.data ?? {})
  const message = inWords(String(response.message || error.message))
  return { message, fields, code: String(response.error ?? ''), status }
}

/** Messages by field; those of nested objects by their path, as `smtp.host`. */
function fieldFaults(data: unknown, path = ''): Record<string, string> {
  if (typeof data !== 'object' || data === null) return {}
  const entries = Object.entries(data as Record<string, { message?: unknown } | null>)
  return Object.fromEntries(
    entries.flatMap(([name, fault]) => {
      if (typeof fault?.message === 'string') return [[path + name, inWords(fault.message)]]
      const inner = Object.entries(fieldFaults(fault, `${path}${name}.`))
      return inner.length > 0 ? inner : [[path + name, t('Is not right.')]]
    }),
  )
}

/**
 * A fault as one text. Names the fields of messages, and omits fields in `shown`, which show their own
 * messages. '' if nothing is left.
 */
export function faultText({ message, fields }: Fault, shown: readonly string[] = []): string {
  const own = new Set(shown.map((name) => fields[name]))
  const others = Object.entries(fields).filter(([name, said]) => !shown.includes(name) && !own.has(said))
  if (others.length === 0) return Object.keys(fields).length > 0 ? '' : message
  const labels = Map.groupBy(others, ([, said]) => said)
  return [...labels]
    .map(([said, named]) => `${named.map(([name]) => labelOf(name)).join(', ')}: ${said}`)
    .join(' ')
}

const LABELS: Readonly<Record<string, string>> = {
  body: t('Text'),
  phone: t('Number'),
  opted_out: t('Opted out'),
  monthly_quota: t('Quota'),
  member_only: t('Has an account of their own'),
  time_zone: t('Time zone'),
  oldPassword: t('Present password'),
  passwordConfirm: t('Password again'),
}

function labelOf(name: string): string {
  const known = LABELS[name]
  if (known) return known
  const words = name
    .replaceAll(/[._]+/g, ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
