import { makeStrictExtension } from '../../engine/records/collection-extension.ts'
import { sendGatewayError } from '../../http/middleware/answer-errors.ts'
import { EVERY_MINUTE, type Feature, HOURLY } from '../base/feature.ts'
import { limitTextDays } from '../base/retention-periods.ts'
import type { SendingServices } from '../messages/require-sender.ts'
import { deleteOldVerifications, expireVerifications } from './expire-verifications.ts'
import { CODE_DATA } from './personal-data.ts'
import { CODE_ROUTES } from './routes.ts'
import { verifyServicesExtension } from './services-extension.ts'
import { verificationsExtension } from './verification-schemas.ts'

export const CODES: Feature<SendingServices> = {
  rows: CODE_ROUTES,
  api: {
    roots: ['/api/verify'],
    group: 'verify',
    errorForm: sendGatewayError,
    isOwn: true,
    takesKeys: true,
  },
  personalData: CODE_DATA,
  extensions: () => ({
    verify_services: makeStrictExtension(verifyServicesExtension),
    verifications: makeStrictExtension(verificationsExtension),
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
