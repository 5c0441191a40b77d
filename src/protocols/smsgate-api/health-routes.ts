import { z } from 'zod'
import { allowEverybody, type HasServices } from '../../http/allow-callers.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { makeReadinessProbe } from '../../http/metrics/readiness.ts'
import type { Operation } from '../../http/openapi/describe-operations.ts'
import { describeJson } from '../../http/openapi/success-answers.ts'
import type { Ctx } from '../../http/request-context.ts'
import { sendRaw } from '../../http/send-answer.ts'
import { describeFailures } from '../describe-route.ts'
import type { GatewayServices } from '../gateway-services.ts'
import { ERROR, TAG } from './define-route.ts'

/** A health check: 503 unless the server is ready. */
const defineHealthRoute = (id: string) => ({
  permission: allowEverybody<GatewayServices>(),
  bound: 'no rows' as const,
  describe: {
    id,
    summary: 'Whether the server works',
    description: 'Whether the server works. Needs no credentials.',
    answer: ['It works.', z.unknown()],
    fails: describeFailures(ERROR),
    responses: { 503: { description: 'It does not.', content: describeJson(z.unknown()) } },
  } satisfies Operation,
  run: async ({ services }: HasServices, c: Ctx) => {
    const begun = performance.now()
    const { ready } = await makeReadinessProbe(services)()
    const status = ready ? 'pass' : 'fail'
    const ping = {
      description: 'Time for the database to answer',
      observedUnit: 'milliseconds',
      observedValue: Math.round(performance.now() - begun),
      status,
    }
    // the version of SMSGate that has this API: the version of this server is not public
    const health = { status, version: '1.47.1', releaseId: 1, checks: { 'db:ping': ping } }
    return sendRaw(c, JSON.stringify(health), ready ? 200 : 503)
  },
})
export const HEALTH = makeRoutes(TAG, {
  'GET /api/3rdparty/v1/health': defineHealthRoute('smsgateHealth'),
  'GET /api/3rdparty/v1/health/:probe{live|ready|startup}': defineHealthRoute('smsgateProbe'),
})
