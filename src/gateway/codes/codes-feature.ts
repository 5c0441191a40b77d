import { strict } from '../../engine/records/collection-extension.ts'
import { gatewayForm } from '../../http/middleware/failure.ts'
import { EVERY_MINUTE, type Feature, HOURLY } from '../base/feature.ts'
import { limitTextDays } from '../base/retention-periods.ts'
import { deleteOldVerifications, expireVerifications } from './end-old.ts'
import { verifyPaths, verifyRoutes } from './routes.ts'
import { verifyServicesExtension } from './services-extension.ts'
import { verificationsExtension } from './verification.ts'

/** Codes that prove a number. */
export const CODES: Feature = {
  routes: [['/api/verify', verifyRoutes]],
  api: { roots: ['/api/verify'], group: 'verify', errorForm: gatewayForm, isOwn: true, takesKeys: true },
  rights: {
    'POST /api/verify': 'act',
    'POST /api/verify/check': 'act',
    'POST /api/verify/cancel': 'act',
  },
  paths: verifyPaths,
  extensions: () => ({
    verify_services: strict(verifyServicesExtension),
    verifications: strict(verificationsExtension),
  }),
  timed: ({ store, config }) => [
    {
      id: 'verificationCleanUp',
      ...HOURLY,
      run: () => deleteOldVerifications(store.db, limitTextDays(config)),
    },
    { id: 'verificationExpiry', ...EVERY_MINUTE, run: () => expireVerifications(store.db) },
  ],
}
