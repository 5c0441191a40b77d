import { ACTS } from '../../gateway/base/permissions.ts'
import type { Bound } from '../../http/bounds.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { defineTwilioRoute } from './define-twilio-route.ts'
import { PAGE_PARAMETERS } from './list-pages.ts'
import {
  changeVerification,
  checkCode,
  fetchVerification,
  START_PARAMETERS,
  sendCode,
} from './verifications.ts'
import {
  changeService,
  createService,
  deleteService,
  fetchService,
  listServices,
  SERVICE_PARAMETERS,
} from './verify-services.ts'

const OF_SERVICE: Bound = {
  cost: 'constant cost; the verifications of a deleted service',
  by: 'keys; a delete like that of a record',
}
const OF_VERIFICATION: Bound = {
  cost: 'the rows of `/api/verify`; with a `code_approval_floor`, the last codes of a country',
  by: 'keys; 20 codes of one day',
}

export const VERIFY_ROUTES = makeRoutes('twilio', {
  'GET /v2/Services': defineTwilioRoute(
    'List services of codes',
    { cost: 'services of the user', by: 'turns' },
    listServices,
    {
      query: PAGE_PARAMETERS,
    },
  ),
  'POST /v2/Services': defineTwilioRoute('Make a service of codes', OF_SERVICE, createService, {
    form: SERVICE_PARAMETERS,
    answer: [201, 'The service.'],
  }),
  'GET /v2/Services/:Sid': defineTwilioRoute('Fetch a service of codes', OF_SERVICE, fetchService),
  'POST /v2/Services/:Sid': defineTwilioRoute(
    'Change a service of codes',
    OF_SERVICE,
    changeService,
    {
      form: SERVICE_PARAMETERS,
    },
  ),
  'DELETE /v2/Services/:Sid': defineTwilioRoute(
    'Delete a service of codes',
    OF_SERVICE,
    deleteService,
    {
      answer: [204, 'It is deleted, with its verifications.'],
    },
  ),
  'POST /v2/Services/:ServiceSid/Verifications': defineTwilioRoute(
    'Send a code',
    OF_VERIFICATION,
    sendCode,
    {
      form: START_PARAMETERS,
      answer: [201, 'The verification.'],
    },
    ACTS.verify.scopes,
  ),
  'GET /v2/Services/:ServiceSid/Verifications/:Sid': defineTwilioRoute(
    'Fetch a verification, by its SID or its number',
    OF_VERIFICATION,
    fetchVerification,
  ),
  'POST /v2/Services/:ServiceSid/Verifications/:Sid': defineTwilioRoute(
    'Cancel or approve a verification, by its SID or its number',
    OF_VERIFICATION,
    changeVerification,
    { form: ['Status'] },
  ),
  'POST /v2/Services/:ServiceSid/VerificationCheck': defineTwilioRoute(
    'Check a code',
    OF_VERIFICATION,
    checkCode,
    {
      form: ['Code', 'To', 'VerificationSid'],
      answer: [201, 'The verification: `approved` if the code was right.'],
    },
    ACTS.verify.scopes,
  ),
})
