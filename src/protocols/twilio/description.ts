import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { IDEMPOTENCY } from '../../http/routes/sms.ts'
import { type Answers, json, success } from '../../openapi/schemas/answers.ts'
import { SENDING } from '../../openapi/schemas/chapters.ts'
import { chapter, type Operation } from '../../openapi/schemas/operations.ts'
import { refusals } from '../../openapi/schemas/refusals.ts'
import { SENDER, TWILIO } from '../../openapi/schemas/security.ts'
import { ACCOUNT, ACCOUNTS, CONNECTION } from './account.ts'
import { CREATE_PARAMETERS } from './messages/create-body.ts'
import { MESSAGES } from './messages/list.ts'
import { MEDIA } from './messages/media.ts'
import { MESSAGE } from './messages/message.ts'
import { NUMBERS } from './numbers/list.ts'
import { NUMBER } from './numbers/number.ts'

const TAG = 'twilio'
/** The chapter of the description. */
export const TWILIO_TAGS = [
  { name: TAG, description: "Twilio's Messaging API, for programs that were written for it." },
]

const ERROR = z
  .strictObject({
    code: z.int().describe("Twilio's number of the error."),
    message: z.string(),
    more_info: z.string(),
    status: z.int().describe('The HTTP status.'),
  })
  .meta({ id: 'TwilioError' })

const FAILURES: Readonly<Record<number, string>> = {
  400: 'A parameter is wrong: `code` says which.',
  401: 'The credentials are wrong.',
  404: 'There is no such thing, or not for you.',
  409: 'The message is not in a status for this.',
  413: 'The body is too large.',
  429: 'Too many requests, or the quota of the month is used up.',
  500: 'A fault of the server.',
  503: 'No device is online, or the server cannot answer now.',
}

const failures = (...statuses: number[]): Answers =>
  Object.fromEntries(
    [400, 401, 404, ...statuses, 429, 500, 503].map((status) => [
      status,
      { description: FAILURES[status]!, content: json(ERROR) },
    ]),
  ) as Answers

const path = (...names: string[]) =>
  names.length === 0 ? {} : { path: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))) }
const query = (...names: string[]) => ({
  query: z.object(Object.fromEntries(names.map((name) => [name, z.string().optional()]))),
})
const PAGING = ['PageSize', 'Page', 'PageToken']

const operation = (
  id: string,
  summary: string,
  params: object,
  ...responses: readonly Answers[]
): Operation => ({ id, summary, description: summary, params, responses })

const form = (...names: string[]) => ({
  required: true,
  content: {
    'application/x-www-form-urlencoded': {
      schema: z.object(Object.fromEntries(names.map((name) => [name, z.string().optional()]))),
    },
  },
})

const A = '/2010-04-01/Accounts/{AccountSid}'

/** `/2010-04-01`: Twilio's Messaging API, and how to connect to it. */
export const twilioPaths = (): ZodOpenApiPathsObject => ({
  ...chapter(SENDING, SENDER, {
    'GET /api/sms/twilio': {
      id: 'twilioConnection',
      summary: "What Twilio's libraries need",
      description: 'Account and numbers as SIDs. The token is shown once, in the answer that makes the key.',
      responses: [success('The account.', CONNECTION), refusals('unauthorized', 'forbidden')],
    },
  }),
  ...chapter(TAG, TWILIO, {
    'GET /2010-04-01/Accounts.json': operation(
      'twilioAccounts',
      'List accounts',
      query('FriendlyName', 'Status', ...PAGING),
      success('The account of the caller.', ACCOUNTS),
      failures(),
    ),
    [`GET ${A}.json`]: operation(
      'twilioAccount',
      'Fetch an account',
      path('AccountSid'),
      success('The account.', ACCOUNT),
      failures(),
    ),
    [`GET ${A}/Messages.json`]: operation(
      'twilioMessages',
      'List messages',
      { ...path('AccountSid'), ...query('To', 'From', 'DateSent', 'DateSent<', 'DateSent>', ...PAGING) },
      success('A page, newest first.', MESSAGES),
      failures(),
    ),
    [`POST ${A}/Messages.json`]: {
      ...operation(
        'twilioCreateMessage',
        'Send a message',
        { ...path('AccountSid'), header: IDEMPOTENCY },
        { 201: { description: 'The message.', content: json(MESSAGE) } },
        failures(409, 413),
      ),
      requestBody: form(...CREATE_PARAMETERS),
    },
    [`GET ${A}/Messages/{Sid}.json`]: operation(
      'twilioMessage',
      'Fetch a message',
      path('AccountSid', 'Sid'),
      success('The message.', MESSAGE),
      failures(),
    ),
    [`POST ${A}/Messages/{Sid}.json`]: {
      ...operation(
        'twilioUpdateMessage',
        'Cancel a message, or take its text away',
        path('AccountSid', 'Sid'),
        success('The message.', MESSAGE),
        failures(409, 413),
      ),
      requestBody: form('Body', 'Status'),
    },
    [`DELETE ${A}/Messages/{Sid}.json`]: operation(
      'twilioDeleteMessage',
      'Delete a message',
      path('AccountSid', 'Sid'),
      { 204: { description: 'It is deleted.' } },
      failures(409),
    ),
    [`GET ${A}/Messages/{Sid}/Media.json`]: operation(
      'twilioMedia',
      'List the media of a message',
      {
        ...path('AccountSid', 'Sid'),
        ...query('DateCreated', 'DateCreated<', 'DateCreated>', ...PAGING),
      },
      success('An empty list.', MEDIA),
      failures(),
    ),
    [`GET ${A}/IncomingPhoneNumbers.json`]: operation(
      'twilioNumbers',
      'List numbers',
      { ...path('AccountSid'), ...query('PhoneNumber', 'FriendlyName', ...PAGING) },
      success('Devices with a number.', NUMBERS),
      failures(),
    ),
    [`GET ${A}/IncomingPhoneNumbers/{Sid}.json`]: operation(
      'twilioNumber',
      'Fetch a number',
      path('AccountSid', 'Sid'),
      success('The number.', NUMBER),
      failures(),
    ),
    [`POST ${A}/IncomingPhoneNumbers/{Sid}.json`]: {
      ...operation(
        'twilioUpdateNumber',
        'Say where its texts go',
        path('AccountSid', 'Sid'),
        success('The number.', NUMBER),
        failures(413),
      ),
      requestBody: form('SmsUrl', 'SmsMethod', 'FriendlyName'),
    },
  }),
})
