import { limitPasswordHashes, limitSignInAttempts } from '../../engine/auth/sign-in-limits.ts'
import { hashPassword, verifyPassword } from '../../engine/fields/bcrypt.ts'
import { toText } from '../../engine/fields/convert-values.ts'
import type { PasswordWork } from '../../engine/records/hash-passwords.ts'
import type { AuthRecord } from '../../engine/request/request.ts'
import { authenticate } from '../attempt.ts'
import type { Ctx, Services } from '../request-context.ts'

/**
 * Hashes and compares passwords; clients take turns. Throws 429 after too many hashes for a non-superuser.
 */
export function makePasswordWork(
  c: Ctx,
  services: Services,
  auth: AuthRecord | null,
): PasswordWork {
  const { config } = services
  const holder = () => c.env.incoming.findHolder(auth)
  return {
    async hash(plain, cost) {
      if (!auth?.isSuperuser)
        await limitPasswordHashes(c.env.incoming.openStore(auth).db, config, holder())
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
  const auth = await authenticate(c, services)
  const isTry = bodies.some((body) =>
    auth ? changesPassword(body) : isFieldGiven(body, 'oldPassword'),
  )
  if (!isTry || auth?.isSuperuser) return run()
  const { db } = c.env.incoming.openStore(auth)
  const who = { collection: auth?.collection.id ?? '', account: auth?.id ?? 'guest' }
  return limitSignInAttempts({ db, config: services.config, ...who, ip: c.env.incoming.ip }, run)
}
