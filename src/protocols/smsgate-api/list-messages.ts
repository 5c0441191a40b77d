import { z } from 'zod'
import { findSends, readSendStates } from '../../gateway/messages/send-states.ts'
import type { Call } from './define-route.ts'
import { renderState } from './send-state.ts'
import { queryDate, queryDevice, queryFlag, queryNumber } from './smsgate-values.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 100
/** SMSGate's states. No message here is ever `Cancelling`. */
const STATES = [
  'Pending',
  'Cancelling',
  'Cancelled',
  'Processed',
  'Sent',
  'Delivered',
  'Failed',
] as const

/** The query of a list of sends. A filter that is '' has no effect. */
export const LIST_QUERY = z.object({
  from: queryDate,
  to: queryDate,
  state: z.enum(['', ...STATES], `must be one of ${STATES.join(', ')}`).default(''),
  deviceId: queryDevice,
  limit: queryNumber
    .transform((limit) => Math.min(Math.max(limit || DEFAULT_LIMIT, 1), MAX_LIMIT))
    .default(DEFAULT_LIMIT),
  offset: queryNumber.transform((offset) => Math.max(offset, 0)).default(0),
  sort: z
    .enum(['created_at', '-created_at'], 'must be created_at or -created_at')
    .default('-created_at'),
  includeContent: queryFlag,
})
export interface Page<T> {
  readonly items: readonly T[]
  readonly total: number
}

/** A page of sends. A send whose messages are gone is left out. */
export async function listMessages(
  { store, user }: Pick<Call, 'store' | 'user'>,
  { includeContent, sort, ...query }: z.output<typeof LIST_QUERY>,
) {
  const isNewestFirst = sort === '-created_at'
  const { total, sends } = await findSends(store.db, user, { ...query, isNewestFirst })
  const states = await readSendStates(store.db, user, sends, includeContent)
  const items = sends.flatMap((send, i) => {
    const state = states.get(i + 1)
    return state ? [renderState(send, state, includeContent)] : []
  })
  return { total, items }
}
