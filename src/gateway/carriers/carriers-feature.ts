import { type Feature, HOURLY } from '../base/feature.ts'
import { type MentionStep, makeSmallStep } from '../base/personal-data.ts'
import { CARRIER_ROUTES, type CarrierServices } from './routes.ts'
import { cleanUpCarriers, forgetCarriers } from './stored-carrier.ts'

/** Faults of texts in the carriers' words. Numbers in a fault are hidden when it is stored, names are not. */
const FAULTS: MentionStep = {
  mentions: makeSmallStep('device_carriers', ['fault'], 'device', 'user').mentions.map((fault) => ({
    ...fault,
    byName: true,
  })),
}

export const CARRIERS: Feature<CarrierServices> = {
  rows: CARRIER_ROUTES,
  alsoDeletes: { devices: forgetCarriers },
  personalData: {
    mentions: [FAULTS],
    noPlaces: {
      carrier_attempts: 'ids of unfinished messages, until their results are stored',
      carrier_texts: 'hashes of message ids of carriers, deleted after 90 days',
      device_carriers: 'carriers of the account',
    },
  },
  timed: ({ store }) => [{ id: 'carrierCleanUp', ...HOURLY, run: () => cleanUpCarriers(store) }],
}
