import { type Feature, HOURLY } from '../../gateway/base/feature.ts'
import { deleteOldTokens } from './token-pairs.ts'

export const SMSGATE_STATE: Feature = {
  personalData: { noPlaces: { smsgate_accounts: 'keys', smsgate_tokens: 'keys' } },
  timed: ({ store }) => [{ id: 'smsgateTokens', ...HOURLY, run: () => deleteOldTokens(store) }],
}
