import { z } from 'zod'
import { checkShape } from '../../sms/send/shape.ts'
import { invalid } from './invalid.ts'
import { signingKey } from './webhooks/signing-key.ts'

/** Only the signing key can be set. Limits are set on devices; the phones' other settings are fixed. */
export const SETTINGS_BODY = z
  .object({ webhooks: z.object({ signing_key: signingKey() }).nullish() })
  .meta({ id: 'SmsgateSettingsChange' })

/** The settings of phones as SMSGate's clients read them. */
export const CLIENT_SETTINGS = z
  .record(z.string(), z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])))
  .meta({ id: 'SmsgateSettings', description: 'By section. Secrets are never told.' })

const ALLOWED = 'webhooks.signing_key'

/** The signing key that a body sets, if any. Throws 400 for any other field. */
export function readSigningKey(raw: unknown): string | undefined {
  for (const name of leavesOf(raw))
    if (name !== ALLOWED)
      throw invalid(`${name} cannot be set here: set limits on a device, and other settings in the app`)
  return checkShape(SETTINGS_BODY, raw).webhooks?.signing_key
}

/** Names of the values in a body, as `section.name`; null counts as absent. */
function* leavesOf(raw: unknown): Generator<string> {
  if (typeof raw !== 'object' || raw === null) return
  for (const [section, values] of Object.entries(raw)) {
    if (values === null) continue
    if (typeof values !== 'object') yield section
    else for (const [name, value] of Object.entries(values)) if (value !== null) yield `${section}.${name}`
  }
}
