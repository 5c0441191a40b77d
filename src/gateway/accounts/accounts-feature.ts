import { USERS_ID } from '../../engine/collections/collection.ts'
import { strict } from '../../engine/records/collection-extension.ts'
import { USER_SETTINGS_ID } from '../../engine/records/disabled-user.ts'
import { ACCOUNT } from '../../http/openapi/operations.ts'
import type { Feature } from '../base/feature.ts'
import { invitationsExtension } from './invitations.ts'
import { membersExtension } from './members.ts'
import { memberPaths, memberRoutes } from './members-routes.ts'
import { accountPaths, accountRoutes, userPaths, userRoutes } from './routes.ts'
import { userSettingsExtension } from './user-settings.ts'
import { usersExtension } from './users.ts'

/** Users, their settings, and members who act for them. */
export const ACCOUNTS: Feature = {
  routes: [
    ['/api', accountRoutes],
    ['/api/account', memberRoutes],
    ['/api/users', userRoutes],
  ],
  api: {
    roots: ['/api/account', '/api/users'],
    group: 'other',
    isOwn: true,
    tags: [{ name: ACCOUNT, description: 'For the account that asks, and before it has signed in.' }],
  },
  changingGets: ['/api/account/push-key'],
  rights: {
    'GET /api/account/me': 'viewer',
    'GET /api/account/inbox': 'viewer',
    'POST /api/account/presence': 'viewer',
    'GET /api/account/push-key': 'viewer',
    'GET /api/account/push': 'viewer',
    'PUT /api/account/push': 'viewer',
    'DELETE /api/account/push': 'viewer',
    'POST /api/account/invitations': 'admin',
    'GET /api/account/retention': 'admin',
  },
  paths: () => ({ ...accountPaths(), ...memberPaths(), ...userPaths() }),
  extensions: () => ({
    [USERS_ID]: strict(usersExtension),
    [USER_SETTINGS_ID]: strict(userSettingsExtension),
    members: strict(membersExtension),
    member_invitations: strict(invitationsExtension),
    account_audit: strict(),
  }),
}
