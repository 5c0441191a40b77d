import { z } from 'zod'
import { completeAddresses } from '../../engine/auth/allowed-addresses.ts'
import type { Extension } from '../../engine/records/collection-extension.ts'
import type { Role } from '../../engine/request/request.ts'
import { forbidden, invalidFields, makeFieldError } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { makeRandomText } from '../../platform/tools/random.ts'
import { UNDO_SECONDS } from '../../portable/undo-seconds.ts'
import { FORMER_DIRECTORY } from './former-directory.ts'
import { checkNotifyHours, completeNotifyHours } from './notify-hours.ts'

export const ROLES = ['admin', 'agent', 'viewer'] as const satisfies readonly Role[]
export const ROLE = z.enum(ROLES)

export const MEMBER_KEY_LENGTH = 50

const IS_OWNER = makeFieldError('validation_is_owner', 'The account itself cannot be its member.')

const OWN_ADDRESSES = 'Somebody else must change from where you may act for this account.'

/** Changes the version of an account's record, so that servers read the members who act for it again. */
export const renewAccount = (db: Db, account: string) =>
  queries(db).updateTable('users').set({ id: account }).where('id', '=', account).execute()

const BY_DIRECTORY = makeFieldError(
  'validation_by_directory',
  'The directory gives this role. Change it there.',
)

/** Only `setDirectoryRole` sets these. */
const BY_SERVER = ['directory', 'proven_until'] as const

/**
 * Updates cannot change account or member, nor a role that a directory gave. A new role gets a new key, which
 * ends tokens of the old role.
 */
export const membersExtension: Extension = {
  grantsAccess: true,
  setByServer: ['tokenKey', 'proven_until'],
  check: (values) => checkNotifyHours(values),
  async beforeCreate(store, values, { body }) {
    if (values.account === values.member) throw invalidFields({ member: IS_OWNER })
    values.tokenKey = makeRandomText(MEMBER_KEY_LENGTH)
    for (const field of BY_SERVER) values[field] = ''
    values.notify ||= 'all'
    if (!Object.hasOwn(body, 'undo_seconds')) values.undo_seconds = UNDO_SECONDS
    completeAddresses(values)
    await completeNotifyHours(store.db, values)
    return undefined
  },
  async beforeUpdate(store, values, old, { auth }) {
    const isFormer = old.directory === FORMER_DIRECTORY
    const isOwn = auth?.actor?.id === old.id || auth?.id === old.member
    const isKept = isFormer && !isOwn && (values.directory === '' || values.role !== old.role)
    for (const field of ['account', 'member', 'tokenKey', ...BY_SERVER]) values[field] = old[field]!
    if (isKept) values.directory = ''
    if (old.directory && !isFormer && values.role !== old.role)
      throw invalidFields({ role: BY_DIRECTORY })
    if (values.role !== old.role) values.tokenKey = makeRandomText(MEMBER_KEY_LENGTH)
    values.notify ||= 'all'
    completeAddresses(values)
    if (values.addresses !== old.addresses) {
      if (auth?.actor?.id === old.id) throw forbidden(OWN_ADDRESSES)
      await renewAccount(store.db, String(old.account))
    }
    await completeNotifyHours(store.db, values, old)
  },
}
