import { STREAMS } from '../../http/metrics/group-requests.ts'
import { sendMessageError } from '../../http/middleware/answer-errors.ts'
import type { Feature } from '../base/feature.ts'
import { MOBILE_PATH } from './app-json.ts'
import { forgetPhones } from './phone-record.ts'
import { SMSGATE_APP_ROUTES } from './smsgate-routes.ts'

/** The SMSGate app's API. A valid token never gets a 401: the app would forget its registration. */
export const SMSGATE_APP: Feature = {
  rows: SMSGATE_APP_ROUTES,
  api: {
    roots: [MOBILE_PATH],
    group: 'mobile',
    groups: { [`GET ${MOBILE_PATH}/events`]: STREAMS },
    errorForm: sendMessageError,
    refusesHead: true,
  },
  alsoDeletes: { devices: forgetPhones },
  personalData: {
    noPlaces: { smsgate_phones: 'devices of the account', smsgate_texts: 'ids of texts' },
  },
}
