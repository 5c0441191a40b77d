import { USERS_ID } from '../../engine/collections/collection.ts'
import { makeStrictExtension } from '../../engine/records/collection-extension.ts'
import { USER_SETTINGS_ID } from '../../engine/records/disabled-user.ts'
import { ACCOUNT } from '../../http/openapi/describe-operations.ts'
import type { Feature } from '../base/feature.ts'
import { invitationsExtension } from './invitations.ts'
import { membersExtension } from './members.ts'
import { MEMBER_ROUTES } from './members-routes.ts'
import { ACCOUNT_ROUTES } from './routes.ts'
import { USER_ROUTES } from './user-routes.ts'
import { userSettingsExtension } from './user-settings-extension.ts'
import { usersExtension } from './users-extension.ts'

/** Users, their settings, and members who act for them. */
export const ACCOUNTS: Feature = {
  rows: [...ACCOUNT_ROUTES, ...MEMBER_ROUTES, ...USER_ROUTES],
  api: {
    roots: ['/api/account', '/api/users'],
    group: 'other',
    isOwn: true,
    tags: [
      { name: ACCOUNT, description: 'For the account that asks, and before it has signed in.' },
    ],
  },
  extensions: () => ({
    [USERS_ID]: makeStrictExtension(usersExtension),
    [USER_SETTINGS_ID]: makeStrictExtension(userSettingsExtension),
    members: makeStrictExtension(membersExtension),
    member_invitations: makeStrictExtension(invitationsExtension),
    account_audit: makeStrictExtension(),
  }),
}
