import { type Feature, HOURLY } from '../../gateway/base/feature.ts'
import { deleteOldTokens } from '../smsgate-api/token-pairs.ts'
import { forgetPhones } from './phone-record.ts'

export const SMSGATE_STATE: Feature = {
  alsoDeletes: { devices: forgetPhones },
  personalData: {
    noPlaces: {
      smsgate_accounts: 'keys',
      smsgate_phones: 'devices of the account',
      smsgate_texts: 'ids of texts',
      smsgate_tokens: 'keys',
    },
  },
  timed: ({ store }) => [{ id: 'smsgateTokens', ...HOURLY, run: () => deleteOldTokens(store) }],
}
