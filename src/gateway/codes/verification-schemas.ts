import { z } from 'zod'
import type { Store } from '../../engine/collections/catalog.ts'
import { INSTANT_OR_EMPTY } from '../../engine/fields/date-schema.ts'
import type { Extension } from '../../engine/records/collection-extension.ts'
import { matchAny, queries } from '../../platform/db/queries.ts'
import { hashWithKey } from '../../platform/db/secrets.ts'

const STATUSES = ['pending', 'approved', 'expired', 'canceled', 'max_attempts_reached'] as const

export const MAX_ATTEMPTS = 5

export type Verification = Readonly<z.output<typeof VERIFICATION>>
export const VERIFICATION = z
  .object({
    id: z.string().describe('A record of `verifications`; empty for one that does not exist.'),
    to: z.string(),
    service: z.string().describe('A record of `verify_services`.'),
    channel: z.enum(['sms']),
    status: z.enum(STATUSES),
    attempts: z.int().min(0).describe(`Checks so far. After ${MAX_ATTEMPTS} it ends.`),
    expires_at: INSTANT_OR_EMPTY,
    created: INSTANT_OR_EMPTY,
    updated: INSTANT_OR_EMPTY,
  })
  .meta({ id: 'Verification' })

export const VERIFICATION_COLUMNS = VERIFICATION.keyof().options

/** Codes are hashed and encrypted with keys for this purpose. */
export const CODE_PURPOSE = 'verification'

export const verificationsExtension: Extension = {
  async afterDelete({ db }, ids) {
    await queries(db)
      .deleteFrom('_verify_codes')
      .where('verification', '=', matchAny(ids))
      .execute()
  },
}

export const hashVerificationCode = (db: Store['db'], user: string, code: string) =>
  hashWithKey(db, CODE_PURPOSE, `${user} ${code}`)
