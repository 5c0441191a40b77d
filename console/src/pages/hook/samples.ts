import type { HookPreset } from '../../data/webhooks/hooks.ts'
import bodies from './samples.json' with { type: 'json' }

/** An example of each tool's request. */
export const sampleOf = (preset: HookPreset): string => {
  const body: unknown = bodies[preset]
  return typeof body === 'string' ? body : JSON.stringify(body, null, 2)
}
