import { attempt } from '../auth/attempts.ts'
import type { AuthRecord } from '../filter/request.ts'
import { clientIp } from './client-ip.ts'
import type { Ctx, Services } from './context.ts'

type Body = Readonly<Record<string, unknown>> | null

/**
 * Runs writes; as a try of the present password, if one of their bodies says what it is: a stolen token must not be a way to
 * guess it. Counted by who asks. Throws 429 after too many wrong ones.
 */
export function tryOldPassword<T>(
  c: Ctx,
  services: Services,
  auth: AuthRecord | null,
  bodies: readonly Body[],
  run: () => Promise<T>,
): Promise<T> {
  const isTry = bodies.some((body) => typeof body?.oldPassword === 'string' && body.oldPassword !== '')
  if (!isTry || auth?.isSuperuser) return run()
  const { store, config } = services
  const who = { collection: auth?.collection.id ?? '', account: auth?.id ?? 'guest' }
  return attempt({ db: store.db, config, ...who, ip: clientIp(c, services) }, run)
}
