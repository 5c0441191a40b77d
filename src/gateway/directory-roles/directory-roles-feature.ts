import { USERS_ID } from '../../engine/collections/collection.ts'
import { makeStrictExtension } from '../../engine/records/collection-extension.ts'
import type { Feature } from '../base/feature.ts'
import { followProviders } from './follow-provider.ts'
import { roleRowsExtension } from './role-rows-extension.ts'

export const DIRECTORY_ROLES: Feature = {
  personalData: { noPlaces: { directory_roles: 'groups of people who sign in' } },
  extensions: () => ({
    directory_roles: makeStrictExtension(roleRowsExtension),
    [USERS_ID]: followProviders,
  }),
}
