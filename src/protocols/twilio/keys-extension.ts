import { createHash } from 'node:crypto'
import { z } from 'zod'
import { apiKeysExtension } from '../../auth/tokens/api-keys.ts'
import { badRequest, fieldError } from '../../errors.ts'
import type { Value } from '../../fields/field.ts'
import type { Extension } from '../../records/extension.ts'
import { randomId } from '../../tools/random.ts'
import { forgetKeys } from './forget-keys.ts'
import { hasSid, sidOf } from './sid.ts'

/** What the answer to the create of a key for Twilio's API holds beside it. */
const NEW_TWILIO_KEY = z.object({
  account_sid: z.string().optional().describe("The user's AccountSid, for a key with `twilio`."),
  auth_token: z
    .string()
    .optional()
    .describe('The key as an AuthToken. Shown this once, for a key with `twilio`.'),
  key_sid: z.string().optional().describe('The SID of the key, for a key with `twilio`.'),
})

const NO_SID = fieldError('validation_twilio_user', 'The id of this user cannot be an AccountSid.')
const SCOPED = fieldError(
  'validation_twilio_scopes',
  'A key with twilio opens all: give no scopes, or all:any.',
)
const FIXED = fieldError('validation_twilio_fixed', 'Can be set only when the key is made.')

/**
 * API keys that also open Twilio's API, whose callbacks are signed with HMAC-SHA1 under the AuthToken. HMAC
 * hashes a key over 64 bytes (RFC 2104, 2), so its SHA-1 is stored instead of the token.
 */
export const twilioKeysExtension: Extension = {
  ...apiKeysExtension,
  shownOnce: { ...apiKeysExtension.shownOnce, ...NEW_TWILIO_KEY.shape },
  async beforeCreate(store, values, request) {
    const made = await apiKeysExtension.beforeCreate!(store, values, request)
    values.signing = ''
    if (values.twilio !== true) return made
    const user = String(values.user)
    if (!hasSid(user)) throw badRequest('Failed to create record.', { twilio: NO_SID })
    if (isNarrowed(values.scopes)) throw badRequest('Failed to create record.', { scopes: SCOPED })
    values.id ||= randomId()
    const token = String(made.key).replace('_', '')
    values.signing = createHash('sha1').update(token).digest('hex')
    return {
      ...made,
      account_sid: sidOf('AC', user),
      auth_token: token,
      key_sid: sidOf('SK', String(values.id)),
    }
  },
  async beforeUpdate(store, values, old, request) {
    if (values.twilio !== old.twilio) throw badRequest('Failed to update record.', { twilio: FIXED })
    if (values.twilio === true && isNarrowed(values.scopes))
      throw badRequest('Failed to update record.', { scopes: SCOPED })
    values.signing = old.signing ?? ''
    return apiKeysExtension.beforeUpdate!(store, values, old, request)
  },
  afterDelete: (store, ids) => forgetKeys(store, ids),
}

/** Whether a key has scopes other than `all:any`: Twilio's API knows none, such a key would open more. */
const isNarrowed = (scopes: Value | undefined): boolean =>
  Array.isArray(scopes) && scopes.length > 0 && scopes.join() !== 'all:any'
