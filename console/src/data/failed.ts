import type { Fault } from './fault.ts'
import type { Message } from './record-types.ts'
import { useList } from './use/use-list.ts'
import { CANCELED_FILTER, FAILED_FILTER } from './words/message-states.ts'

const OUTGOING = 'message_type = "outgoing" && body != ""'
const KINDS = {
  plain: `${FAILED_FILTER} && error_message != "Recipient has opted out" && error_message != "Recipient is on the stop list" && error_message != "No proof of consent" && error_message !~ "Outcome unknown%"`,
  unknown: 'status = "failed" && error_message ~ "Outcome unknown%"',
  canceled: CANCELED_FILTER,
} as const
/** Kinds of failed messages that users may resend, without those to people who do not want or allow them. */
export type FailedKind = keyof typeof KINDS
export type FailedCounts = Readonly<Record<FailedKind, number>>

export const writeFailedFilter = (filter: string, kind: FailedKind): string =>
  `${filter === '' ? '' : `(${filter}\n) && `}${OUTGOING} && ${KINDS[kind]}`

/** Counts failed messages by kind. `counts` is undefined until all are counted, and after an error. */
export function useFailed(filter: string): {
  counts: FailedCounts | undefined
  fault: Fault | undefined
} {
  const plain = useCount(writeFailedFilter(filter, 'plain'))
  const unknown = useCount(writeFailedFilter(filter, 'unknown'))
  const canceled = useCount(writeFailedFilter(filter, 'canceled'))
  const all = [plain, unknown, canceled]
  const fault = all.find((list) => list.fault)?.fault
  const isCounted = !fault && all.every((list) => !list.loading)
  const counts = { plain: plain.total, unknown: unknown.total, canceled: canceled.total }
  return { counts: isCounted ? counts : undefined, fault }
}

const useCount = (filter: string) =>
  useList<Message>('sms_messages', { filter, perPage: 1, fields: 'id', live: false })
