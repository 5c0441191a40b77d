import { badRequest, fieldError } from '../../errors.ts'
import type { Extension } from '../../records/extension.ts'
import { randomText } from '../../tools/random.ts'

const KEY_LENGTH = 50

/** Memberships keep account and member. A new role gets a new key, which ends the member's tokens. */
export const membersExtension: Extension = {
  grantsAccess: true,
  setByServer: ['tokenKey'],
  async beforeCreate(_store, values) {
    if (values.account === values.member) throw badRequest('Failed to create record.', { member: isOwner() })
    values.tokenKey = randomText(KEY_LENGTH)
    values.notify ||= 'all'
    return undefined
  },
  async beforeUpdate(_store, values, old) {
    for (const field of ['account', 'member', 'tokenKey']) values[field] = old[field]!
    if (values.role !== old.role) values.tokenKey = randomText(KEY_LENGTH)
    values.notify ||= 'all'
  },
}

/** The error of an account that would be its own member. */
const isOwner = () => fieldError('validation_is_owner', 'The account itself cannot be its member.')

/** Invitations are made by a route of their own: their secret is shown once. */
export const invitationsExtension: Extension = { grantsAccess: true, setByServer: ['hash'] }
