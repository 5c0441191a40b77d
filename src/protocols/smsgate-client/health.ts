import { z } from 'zod'
import type { readinessOf } from '../../metrics/readiness.ts'

/** The served version of SMSGate's API. The server's own version is not public. */
const API_LEVEL = '1.47.1'
const STATUSES = ['pass', 'warn', 'fail'] as const

/** Health as SMSGate's clients read it. */
export const HEALTH = z
  .object({
    status: z.enum(STATUSES),
    version: z.string().describe("The level of SMSGate's API, not this server's version."),
    releaseId: z.int(),
    checks: z.record(
      z.string(),
      z.object({
        description: z.string(),
        observedUnit: z.string(),
        observedValue: z.int(),
        status: z.enum(STATUSES),
      }),
    ),
  })
  .meta({ id: 'SmsgateHealth' })

/** Whether the server works, as SMSGate's clients read it. Needs no credentials, and tells nothing else. */
export async function healthOf(probe: ReturnType<typeof readinessOf>): Promise<z.output<typeof HEALTH>> {
  const begun = performance.now()
  const status = (await probe()).ready ? 'pass' : 'fail'
  const ping = {
    description: 'Time for the database to answer',
    observedUnit: 'milliseconds',
    observedValue: Math.round(performance.now() - begun),
    status,
  } as const
  return { status, version: API_LEVEL, releaseId: 1, checks: { 'db:ping': ping } }
}
