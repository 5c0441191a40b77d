import { deleteAuditLogs } from '../../engine/auth/audit/delete-old-audit-entries.ts'
import { USERS_ID } from '../../engine/collections/collection.ts'
import { makeStrictExtension } from '../../engine/records/collection-extension.ts'
import { USER_SETTINGS_ID } from '../../engine/records/disabled-user.ts'
import type { Feature } from '../base/feature.ts'
import { makeRecordStep } from '../base/personal-data.ts'
import { makeProofJobs } from './directory-role.ts'
import { makeFormerMembersJobs } from './former-members.ts'
import { INVITATION_ROUTES } from './invitation-routes.ts'
import { invitationsExtension } from './invitations.ts'
import { membersExtension } from './members.ts'
import { MEMBER_ROUTES } from './members-routes.ts'
import { PASSKEY_ROUTES } from './passkey-routes.ts'
import { PASSKEY_SIGN_IN_ROUTES } from './passkey-sign-in-routes.ts'
import { makeFactorJobs } from './required-factors.ts'
import { ACCOUNT_ROUTES } from './routes.ts'
import { SECOND_FACTOR_ROUTES } from './second-factor-routes.ts'
import { SESSION_ROUTES } from './session-routes.ts'
import { USER_ROUTES } from './user-routes.ts'
import { userSettingsExtension } from './user-settings-extension.ts'
import { usersExtension } from './users-extension.ts'

export const ACCOUNTS: Feature = {
  rows: [
    ...SESSION_ROUTES,
    ...ACCOUNT_ROUTES,
    ...SECOND_FACTOR_ROUTES,
    ...PASSKEY_ROUTES,
    ...PASSKEY_SIGN_IN_ROUTES,
    ...MEMBER_ROUTES,
    ...INVITATION_ROUTES,
    ...USER_ROUTES,
  ],
  api: {
    roots: ['/api/account', '/api/users'],
    group: 'other',
    isOwn: true,
    tags: [
      { name: 'account', description: 'For the account that asks, and before it has signed in.' },
    ],
  },
  personalData: {
    mentions: [makeRecordStep('api_keys', ['name'])],
    noPlaces: {
      account_audit: 'names actions, senders and record ids; never values',
      api_keys: 'keys of the account; destinations are prefixes of countries',
      member_invitations: 'people who sign in',
      members: 'people who sign in',
      user_settings: 'settings of the account',
      users: 'people who sign in',
    },
  },
  extensions: () => ({
    [USERS_ID]: makeStrictExtension(usersExtension),
    [USER_SETTINGS_ID]: makeStrictExtension(userSettingsExtension),
    members: makeStrictExtension(membersExtension),
    member_invitations: makeStrictExtension(invitationsExtension),
    account_audit: makeStrictExtension({}),
  }),
  alsoDeletes: { [USERS_ID]: ({ db }, ids) => deleteAuditLogs(db, ids) },
  queued: (services) => {
    const openStore = (account: string) => services.store.forUser(account)
    return [
      makeFactorJobs(openStore),
      makeProofJobs(openStore),
      makeFormerMembersJobs(openStore, services),
    ]
  },
}
