import { makeStrictExtension } from '../../engine/records/collection-extension.ts'
import { type Feature, HOURLY } from '../base/feature.ts'
import { limitTextDays } from '../base/retention-periods.ts'
import { hooksExtension } from './hooks-extension.ts'
import { deleteOldHookCalls } from './hourly-summary.ts'
import { HOOK_DATA } from './personal-data.ts'
import { HOOK_ROUTES } from './routes.ts'
import { sendHookError } from './send-hook-error.ts'

export const HOOKS: Feature = {
  rows: HOOK_ROUTES,
  api: { roots: ['/api/hooks'], group: 'hooks', errorForm: sendHookError, isOwn: true },
  personalData: HOOK_DATA,
  extensions: () => ({
    hooks: makeStrictExtension(hooksExtension),
    hook_calls: makeStrictExtension({}),
  }),
  timed: ({ store, config }) => [
    {
      id: 'hookCleanUp',
      ...HOURLY,
      run: () => deleteOldHookCalls(store.db, limitTextDays(config)),
    },
  ],
}
