import { z } from 'zod'

/** The version of SMSGate's API that is served. Strangers are not told this server's own version. */
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
export type Health = z.output<typeof HEALTH>

/** @param answerMs how long the database took to answer, or to fail. */
export function healthFrom(isHealthy: boolean, answerMs: number): Health {
  const status = isHealthy ? 'pass' : 'fail'
  const ping = {
    description: 'Time for the database to answer',
    observedUnit: 'milliseconds',
    observedValue: answerMs,
    status,
  } as const
  return { status, version: API_LEVEL, releaseId: 1, checks: { 'db:ping': ping } }
}
