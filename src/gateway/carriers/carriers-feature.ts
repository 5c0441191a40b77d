import type { Services } from '../../http/context.ts'
import { type Feature, HOURLY } from '../base/feature.ts'
import type { CarrierService } from '../lines/carrier-body.ts'
import { carrierPaths, carrierRoutes } from './routes.ts'
import { cleanUpCarriers, forgetCarriers } from './stored-carrier.ts'

interface OwnServices extends Services {
  readonly carriers: CarrierService
}

/** Carriers that the server runs by HTTP. */
export const CARRIERS: Feature<OwnServices> = {
  routes: [['/api/devices/carriers', carrierRoutes]],
  changingGets: ['/api/devices/carriers/calls/:token'],
  paths: carrierPaths,
  alsoDeletes: { devices: forgetCarriers },
  timed: ({ store }) => [{ id: 'carrierCleanUp', ...HOURLY, run: () => cleanUpCarriers(store) }],
}
