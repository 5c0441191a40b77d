import { sendRaw } from '../../http/answer.ts'
import type { Ctx } from '../../http/context.ts'
import { readinessOf } from '../../http/metrics/readiness.ts'
import type { GatewayServices } from '../gateway-services.ts'
import { CLIENT_PATH } from './canonical-path.ts'

export const HEALTH_PATHS = [`${CLIENT_PATH}/health`, `${CLIENT_PATH}/health/:probe{live|ready|startup}`]

/** Makes the handler of health checks: 503 unless the server is ready. */
export function healthOf(services: GatewayServices) {
  const probe = readinessOf(services.store.forEverybody('metrics'), services.stopping)
  return async (c: Ctx): Promise<Response> => {
    const begun = performance.now()
    const { ready } = await probe()
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
  }
}
