import { z } from 'zod'
import { makeOptionalField } from '../lines/device-schemas.ts'
import { cut, makeLenientList, phoneInstant } from './lenient-schemas.ts'

/** Maximum characters of a failure's reason, as in the app. */
const MAX_ERROR = 1_000
const MAX_REPORTS = 500

/** When a message reached each state, by the phone's clock. Invalid dates are left out. */
const states = z.record(z.string(), z.unknown()).transform((raw) => {
  const read = Object.entries(raw).map(
    ([state, at]) => [state, phoneInstant.safeParse(at).data] as const,
  )
  return Object.fromEntries(read.filter((pair): pair is [string, number] => pair[1] !== undefined))
})

const report = z.object({
  id: z.string('must be a text'),
  /** An unknown state means that the phone still has the message. */
  state: z
    .enum(['Pending', 'Cancelling', 'Cancelled', 'Processed', 'Sent', 'Delivered', 'Failed'])
    .catch('Pending'),
  recipients: makeLenientList(z.object({ error: makeOptionalField(cut(MAX_ERROR)) })),
  states: states.nullish().transform((map): Record<string, number> => map ?? {}),
})

/** The app's report on a message. A message from this server has one recipient. */
export type StateReport = z.output<typeof report>

export const STATES_BODY = z
  .array(report, 'must be a list')
  .max(MAX_REPORTS, `must have at most ${MAX_REPORTS} items`)
