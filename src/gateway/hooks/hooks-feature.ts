import { strict } from '../../engine/records/collection-extension.ts'
import { type Feature, HOURLY } from '../base/feature.ts'
import { limitTextDays } from '../base/retention-periods.ts'
import { hookForm } from './hook-form.ts'
import { hooksExtension } from './hooks-extension.ts'
import { cleanUpHooks } from './hourly-summary.ts'
import { HOOK_ROUTES } from './routes.ts'

/** Addresses that other tools call, and that make texts. */
export const HOOKS: Feature = {
  rows: HOOK_ROUTES,
  api: { roots: ['/api/hooks'], group: 'hooks', errorForm: hookForm, isOwn: true },
  extensions: () => ({ hooks: strict(hooksExtension), hook_calls: strict() }),
  timed: ({ store, config }) => [
    { id: 'hookCleanUp', ...HOURLY, run: () => cleanUpHooks(store.db, limitTextDays(config)) },
  ],
}
