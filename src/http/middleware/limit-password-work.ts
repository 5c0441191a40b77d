import { limitPasswordHashes, limitSignInAttempts } from '../../engine/auth/attempt-limits.ts'
import { hashPassword, verifyPassword } from '../../engine/fields/bcrypt.ts'
import { toText } from '../../engine/fields/convert-values.ts'
import type { PasswordWork } from '../../engine/records/hash-passwords.ts'
import type { AuthRecord } from '../../engine/request/request.ts'
import { authenticateUncached } from '../authenticate.ts'
import type { Ctx, Services } from '../request-context.ts'
import { findRequestHolder, openStoreForCaller, readClientIp } from '../server/client-address.ts'

/**
 * Hashes and compares passwords; clients take turns. Throws 429 after too many hashes for a non-superuser.
 */
export function makePasswordWork(
  c: Ctx,
  services: Services,
  auth: AuthRecord | null,
): PasswordWork {
  const { config } = services
  const holder = () => findRequestHolder(c.env.incoming, services, auth)
  return {
    async hash(plain, cost) {
      if (!auth?.isSuperuser)
        await limitPasswordHashes(openStoreForCaller(c, services, auth).db, config, holder())
      return hashPassword(plain, cost, holder())
    },
    verify: (plain, hash) => verifyPassword(plain, hash, holder()),
  }
}

type Body = Readonly<Record<string, unknown>> | null

const isFieldGiven = (body: Body, key: string) => toText(body?.[key]) !== ''

const changesPassword = (body: Body): boolean =>
  ['oldPassword', 'password', 'passwordConfirm'].some((key) => isFieldGiven(body, key))

/** Counts a password change as a sign-in attempt, to limit guessing with a stolen token. Throws 429. */
export async function limitOldPasswordChecks<T>(
  c: Ctx,
  services: Services,
  bodies: readonly Body[],
  run: () => Promise<T>,
): Promise<T> {
  if (!bodies.some(changesPassword)) return run()
  const auth = await authenticateUncached(c, services)
  const isTry = bodies.some((body) =>
    auth ? changesPassword(body) : isFieldGiven(body, 'oldPassword'),
  )
  if (!isTry || auth?.isSuperuser) return run()
  const { db } = openStoreForCaller(c, services, auth)
  const who = { collection: auth?.collection.id ?? '', account: auth?.id ?? 'guest' }
  return limitSignInAttempts(
    { db, config: services.config, ...who, ip: readClientIp(c, services) },
    run,
  )
}
