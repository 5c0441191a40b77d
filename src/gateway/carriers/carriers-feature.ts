import { type Feature, HOURLY } from '../base/feature.ts'
import { CARRIER_ROUTES, type CarrierServices } from './routes.ts'
import { cleanUpCarriers, forgetCarriers } from './stored-carrier.ts'

/** Carriers that the server runs by HTTP. */
export const CARRIERS: Feature<CarrierServices> = {
  rows: CARRIER_ROUTES,
  alsoDeletes: { devices: forgetCarriers },
  timed: ({ store }) => [{ id: 'carrierCleanUp', ...HOURLY, run: () => cleanUpCarriers(store) }],
}
