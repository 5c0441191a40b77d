import { z } from 'zod'
import type { Health } from '../../gateway/lines/phone-health.ts'

/** A value of the app's health check; undefined if it is unreadable. */
const check = z
  .object({ observedValue: z.number() })
  .transform(({ observedValue }) => observedValue)
  .optional()
  .catch(undefined)

/** The best connection in the bits of `connection:transport`: 8 is Ethernet, 4 Wi-Fi, 2 mobile. */
const readConnection = (
  isOnline: number | undefined,
  transport = 0,
  mobile = 0,
): Health['connection'] => {
  if (isOnline === 0) return 'none'
  if (transport & 8) return 'ethernet'
  if (transport & 4) return 'wifi'
  if (transport & 2)
    return ([undefined, undefined, '2g', '3g', '4g', '5g'] as const)[mobile] ?? 'mobile'
  return undefined
}

/** Any bit of `battery:charging` means plugged in. Source: the app's BatteryMonitor, ConnectionService */
const health = z
  .object({
    'battery:level': check,
    'battery:charging': check,
    'connection:status': check,
    'connection:transport': check,
    'connection:cellular': check,
  })
  .transform((checks): Health => {
    const { 'battery:level': level, 'battery:charging': plugged } = checks
    return {
      battery: level !== undefined && level >= 0 && level <= 100 ? level : undefined,
      charging: plugged === undefined ? undefined : plugged > 0,
      connection: readConnection(
        checks['connection:status'],
        checks['connection:transport'],
        checks['connection:cellular'],
      ),
    }
  })
export const PING_PAYLOAD = z
  .object({ health: z.object({ checks: health }) })
  .transform((payload) => payload.health.checks)
  .catch({})
