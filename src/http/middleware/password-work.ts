import { countHash } from '../../auth/limits/attempt-limits.ts'
import { hashPassword, verifyPassword } from '../../fields/values/bcrypt.ts'
import type { PasswordWork } from '../../records/auth/passwords.ts'
import type { AuthRecord } from '../../request/request.ts'
import type { Ctx, Services } from '../context.ts'
import { holderOf, storeOf } from '../server/store-of.ts'

/** Hashes and compares passwords in the client's turn. 429 after too many new ones, not for superusers. */
export function passwordWork(c: Ctx, services: Services, auth: AuthRecord | null): PasswordWork {
  const { config } = services
  const holder = () => holderOf(c.env.incoming, services, auth)
  return {
    async hash(plain, cost) {
      if (!auth?.isSuperuser) await countHash(storeOf(c, services, auth).db, config, holder())
      return hashPassword(plain, cost, holder())
    },
    verify: (plain, hash) => verifyPassword(plain, hash, holder()),
  }
}
