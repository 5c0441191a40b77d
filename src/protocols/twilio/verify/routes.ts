import type { Route } from '../description.ts'
import { PAGE_PARAMETERS } from '../paging.ts'
import {
  changeService,
  createService,
  deleteService,
  fetchService,
  listServices,
  SERVICE_PARAMETERS,
} from './service.ts'
import { check, fetchOne, START_PARAMETERS, start, update } from './verification.ts'

/** Twilio's Verify, version 2, below `/v2/Services`. */
export const VERIFY_ROUTES: readonly Route[] = [
  {
    at: 'GET ',
    summary: 'List services of codes',
    query: PAGE_PARAMETERS,
    work: listServices,
  },
  {
    at: 'POST ',
    summary: 'Make a service of codes',
    form: SERVICE_PARAMETERS,
    answer: [201, 'The service.'],
    work: createService,
  },
  {
    at: 'GET /{Sid}',
    summary: 'Fetch a service of codes',
    work: fetchService,
  },
  {
    at: 'POST /{Sid}',
    summary: 'Change a service of codes',
    form: SERVICE_PARAMETERS,
    work: changeService,
  },
  {
    at: 'DELETE /{Sid}',
    summary: 'Delete a service of codes',
    answer: [204, 'It is deleted, with its verifications.'],
    work: deleteService,
  },
  {
    at: 'POST /{ServiceSid}/Verifications',
    summary: 'Send a code',
    form: START_PARAMETERS,
    answer: [201, 'The verification.'],
    work: start,
  },
  {
    at: 'GET /{ServiceSid}/Verifications/{Sid}',
    summary: 'Fetch a verification, by its SID or its number',
    work: fetchOne,
  },
  {
    at: 'POST /{ServiceSid}/Verifications/{Sid}',
    summary: 'Cancel or approve a verification, by its SID or its number',
    form: ['Status'],
    work: update,
  },
  {
    at: 'POST /{ServiceSid}/VerificationCheck',
    summary: 'Check a code',
    form: ['Code', 'To', 'VerificationSid'],
    answer: [201, 'The verification: `approved` if the code was right.'],
    work: check,
  },
]
