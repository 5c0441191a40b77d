import { isObject, parseJson } from '../../../../platform/tools/json.ts'
import { maskSecrets } from '../../../../platform/tools/mask-secrets.ts'
import { type Carrier, listHiddenParts } from './carrier-account.ts'
import type { Meaning } from './preset.ts'
import { isAmongValues, matchesCondition, readTextAt, readTextsAt } from './read-path.ts'

/** The meaning of a carrier's answer. `id`: the carrier's; `error`: its words, without our secrets. */
export interface Verdict {
  readonly means: Meaning
  readonly id: string
  readonly error: string
}

const MAX_WORDS = 300
/** Characters of an answer in which secrets are looked for: the search takes some microseconds for each. */
const MAX_READ = 1_000
/** Wrong credentials, no credit, wrong address. RFC 9110, 15.4 and 15.5 */
const OF_ACCOUNT = new Set([401, 402, 403, 404, 405, 410])
const MAY_HAVE_SENT = new Set([408, 409, 425])

function classifyStatus(status: number): Meaning {
  if (status === 429) return 'busy'
  if (status >= 500 || MAY_HAVE_SENT.has(status) || status < 300) return 'unknown'
  return status < 400 || OF_ACCOUNT.has(status) ? 'account' : 'final'
}

export function readAnswer(carrier: Carrier, status: number, raw: string): Verdict {
  const { answer, refusals } = carrier.interface
  const parsed = parseJson(raw)
  const text = typeof parsed === 'string' ? parsed : raw.trim()
  const body = isObject(parsed) || Array.isArray(parsed) ? parsed : { text }
  const id = readTextAt(body, answer.id)
  const isOk = status >= 200 && status < 300 && matchesCondition(body, answer.accepts ?? {})
  if (isOk) return { means: answer.id && id === '' ? 'unknown' : 'sent', id, error: '' }
  const code =
    [answer.code]
      .flat()
      .map((path) => readTextAt(body, path))
      .find(Boolean) ?? ''
  const row = refusals.find(
    (each) =>
      (each.status?.includes(status) ?? true) && (!each.code || isAmongValues(each.code, code)),
  )
  // an answer of 200 that does not accept is a refusal
  const means = row?.means ?? (status < 300 ? 'final' : classifyStatus(status))
  // a comma: together, a status and a code of digits would look like a phone number
  const codes = [status, code].filter(Boolean).join(', ')
  const words = `${codes} ${readTextsAt(body, answer.error)}`.trim().slice(0, MAX_READ)
  return {
    means,
    id,
    error: `The carrier refused it: ${maskSecrets(words, listHiddenParts(carrier)).slice(0, MAX_WORDS)}`,
  }
}
