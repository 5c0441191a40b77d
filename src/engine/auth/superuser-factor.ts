import { forbidden } from '../../platform/api-errors.ts'
import type { Config } from '../../platform/config.ts'
import type { Store } from '../collections/catalog.ts'
import type { AuthRecord } from '../request/request.ts'
import { hasFactor } from './second-factor.ts'
import { INSTALLER_EMAIL } from './superusers.ts'

interface FactorServices {
  readonly config: Pick<Config, 'superuserSecondFactor'>
  readonly store: { readonly signIn: Store }
}

const REQUIRED =
  'This server requires a second factor of superusers, and you have none. Set one up on the page Account of the console.'

/** Paths that a superuser without a second factor may use: sign in and out, and set one up. */
const FREE =
  /^\/api\/(?:health|account\/(?:second-factor|passkeys|sessions|end-other-sessions)(?:\/[\w-]+)*|collections\/[^/]+\/(?:passkey-options|auth-[\w-]+|(?:request|confirm)-[\w-]+))$/

/** Throws 403 for a superuser without a second factor, if the server requires one. */
export async function requireSuperuserFactor(
  { config, store }: FactorServices,
  auth: AuthRecord | null,
  path: string,
): Promise<void> {
  if (!config.superuserSecondFactor || !auth?.isSuperuser || FREE.test(path)) return
  if (auth.values.email === INSTALLER_EMAIL) return
  if (!(await hasFactor(store.signIn.db, auth))) throw forbidden(REQUIRED)
}
