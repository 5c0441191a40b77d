import { readinessOf } from '../../metrics/readiness.ts'
import { type Health, healthFrom } from '../../smsgate-client/health.ts'
import type { Services } from '../context.ts'

const probes = new WeakMap<Services, ReturnType<typeof readinessOf>>()

/** Whether the server works, as SMSGate's clients read it. Needs no credentials, and tells nothing else. */
export async function healthOf(services: Services): Promise<Health> {
  const probe = probes.get(services) ?? readinessOf(services.store, services.stopping)
  probes.set(services, probe)
  const begun = performance.now()
  const { ready } = await probe()
  return healthFrom(ready, Math.round(performance.now() - begun))
}
