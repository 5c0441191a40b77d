import { parseCron } from '../settings/cron.ts'
import type { State } from './state.ts'

/** When the next scheduled backup is due: a past time if it was missed, null without a schedule. */
export function nextScheduled({ cron, untilMs }: State['schedule'], expression: string): Date | null {
  if (expression === '') return null
  return parseCron(expression).nextRun(cron === expression ? new Date(untilMs) : new Date())
}
