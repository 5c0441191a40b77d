import type { readinessOf } from '../../metrics/readiness.ts'

/** The level of SMSGate's API. The server's own version is not public. */
const API_LEVEL = '1.47.1'

/** Whether the server works, as SMSGate's clients read it. Needs no credentials, and tells nothing else. */
export async function healthOf(probe: ReturnType<typeof readinessOf>) {
  const begun = performance.now()
  const status = (await probe()).ready ? 'pass' : 'fail'
  const ping = {
    description: 'Time for the database to answer',
    observedUnit: 'milliseconds',
    observedValue: Math.round(performance.now() - begun),
    status,
  }
  return { status, version: API_LEVEL, releaseId: 1, checks: { 'db:ping': ping } }
}
