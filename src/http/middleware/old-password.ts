import { limitSignInAttempts } from '../../auth/limits/attempt-limits.ts'
import { toText } from '../../fields/values/cast.ts'
import type { Ctx, Services } from '../context.ts'
import { authOf } from '../request-info.ts'
import { clientIp } from '../server/client-ip.ts'
import { storeOf } from '../server/store-of.ts'

type Body = Readonly<Record<string, unknown>> | null

const isGiven = (body: Body, key: string) => toText(body?.[key]) !== ''

/** Whether a change of an auth record sets a password or contains the old one. */
const changesPassword = (body: Body): boolean =>
  ['oldPassword', 'password', 'passwordConfirm'].some((key) => isGiven(body, key))

/** Counts password changes as sign-in attempts: a stolen token must not guess one. Throws 429. */
export async function limitOldPasswordChecks<T>(
  c: Ctx,
  services: Services,
  bodies: readonly Body[],
  run: () => Promise<T>,
): Promise<T> {
  if (!bodies.some(changesPassword)) return run()
  const auth = await authOf(c, services)
  const isTry = bodies.some((body) => (auth ? changesPassword(body) : isGiven(body, 'oldPassword')))
  if (!isTry || auth?.isSuperuser) return run()
  const { db } = storeOf(c, services, auth)
  const who = { collection: auth?.collection.id ?? '', account: auth?.id ?? 'guest' }
  return limitSignInAttempts({ db, config: services.config, ...who, ip: clientIp(c, services) }, run)
}
