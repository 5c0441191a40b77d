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

/** Twilio's Verify, version 2. */
export const VERIFY_ROUTES = makeRoutes('twilio', {
  'GET /v2/Services': defineTwilioRoute('List services of codes', listServices, {
    query: PAGE_PARAMETERS,
  }),
  'POST /v2/Services': defineTwilioRoute('Make a service of codes', createService, {
    form: SERVICE_PARAMETERS,
    answer: [201, 'The service.'],
  }),
  'GET /v2/Services/:Sid': defineTwilioRoute('Fetch a service of codes', fetchService),
  'POST /v2/Services/:Sid': defineTwilioRoute('Change a service of codes', changeService, {
    form: SERVICE_PARAMETERS,
  }),
  'DELETE /v2/Services/:Sid': defineTwilioRoute('Delete a service of codes', deleteService, {
    answer: [204, 'It is deleted, with its verifications.'],
  }),
  'POST /v2/Services/:ServiceSid/Verifications': defineTwilioRoute('Send a code', sendCode, {
    form: START_PARAMETERS,
    answer: [201, 'The verification.'],
  }),
  'GET /v2/Services/:ServiceSid/Verifications/:Sid': defineTwilioRoute(
    'Fetch a verification, by its SID or its number',
    fetchVerification,
  ),
  'POST /v2/Services/:ServiceSid/Verifications/:Sid': defineTwilioRoute(
    'Cancel or approve a verification, by its SID or its number',
    changeVerification,
    { form: ['Status'] },
  ),
  'POST /v2/Services/:ServiceSid/VerificationCheck': defineTwilioRoute('Check a code', checkCode, {
    form: ['Code', 'To', 'VerificationSid'],
    answer: [201, 'The verification: `approved` if the code was right.'],
  }),
})
