import { type Route, route } from './account.ts'
import { PAGE_PARAMETERS } from './pages.ts'
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

/** Twilio's Verify, version 2, below `/v2/Services`. */
export const VERIFY_ROUTES: readonly Route[] = [
  route('GET ', 'List services of codes', listServices, { query: PAGE_PARAMETERS }),
  route('POST ', 'Make a service of codes', createService, {
    form: SERVICE_PARAMETERS,
    answer: [201, 'The service.'],
  }),
  route('GET /{Sid}', 'Fetch a service of codes', fetchService),
  route('POST /{Sid}', 'Change a service of codes', changeService, {
    form: SERVICE_PARAMETERS,
  }),
  route('DELETE /{Sid}', 'Delete a service of codes', deleteService, {
    answer: [204, 'It is deleted, with its verifications.'],
  }),
  route('POST /{ServiceSid}/Verifications', 'Send a code', sendCode, {
    form: START_PARAMETERS,
    answer: [201, 'The verification.'],
  }),
  route(
    'GET /{ServiceSid}/Verifications/{Sid}',
    'Fetch a verification, by its SID or its number',
    fetchVerification,
  ),
  route(
    'POST /{ServiceSid}/Verifications/{Sid}',
    'Cancel or approve a verification, by its SID or its number',
    changeVerification,
    { form: ['Status'] },
  ),
  route('POST /{ServiceSid}/VerificationCheck', 'Check a code', checkCode, {
    form: ['Code', 'To', 'VerificationSid'],
    answer: [201, 'The verification: `approved` if the code was right.'],
  }),
]
