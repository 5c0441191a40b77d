import { describeRefusals } from '../../gateway/base/describe-gateway-errors.ts'
import { ACTS } from '../../gateway/base/permissions.ts'
import { allowReader } from '../../gateway/messages/require-sender.ts'
import type { Bound } from '../../http/bounds.ts'
import { makeRoutes, makeUndescribedRow } from '../../http/make-routes.ts'
import { listErrorAnswers } from '../../http/openapi/gateway-error-answers.ts'
import type { Ctx } from '../../http/request-context.ts'
import type { Protocol } from '../gateway-services.ts'
import { changeMessage, deleteMessage } from './change-message.ts'
import { CREATE_PARAMETERS, createMessage } from './create-message.ts'
import { allowAccount, defineTwilioRoute } from './define-twilio-route.ts'
import { CONNECTION, describeConnection, findAccount, listAccounts } from './identify-account.ts'
import { PAGE_PARAMETERS } from './list-pages.ts'
import { fetchMedium, listMedia, sendMedium } from './media.ts'
import { fetchMessage, listMessages } from './messages.ts'
import { changeNumber, fetchNumber, listNumbers } from './numbers.ts'
import { makeNotFoundError, sendTwilioError, TwilioRefusal } from './twilio-errors.ts'
import { VERIFY_ROUTES } from './verify-routes.ts'

// members have no account of Twilio's
const { least: _, ...byOwnerOrKey } = allowReader('readUsage')

const OF_NUMBERS: Bound = { cost: 'devices of the user', by: 'one index scan' }

const CONNECTION_ROUTES = makeRoutes('sending', {
  'GET /api/sms/twilio': {
    permission: byOwnerOrKey,
    bound: OF_NUMBERS,
    describe: {
      id: 'twilioConnection',
      summary: "Read the settings for Twilio's libraries",
      description:
        'Account and numbers as SIDs. The token is shown only once, in the answer that creates the key.',
      answer: ['The account.', CONNECTION],
      fails: listErrorAnswers(describeRefusals('unauthorized', 'forbidden')),
    },
    run: (caller) => describeConnection(caller, caller.services.config),
  },
})

const MESSAGE_ROUTES = makeRoutes('twilio', {
  'GET /2010-04-01/Accounts.json': defineTwilioRoute('List accounts', 'keys', listAccounts, {
    query: PAGE_PARAMETERS,
  }),
  'GET /2010-04-01/Accounts/:AccountSid.json': defineTwilioRoute(
    'Fetch an account',
    'keys',
    findAccount,
  ),
  'GET /2010-04-01/Accounts/:AccountSid/Messages.json': defineTwilioRoute(
    'List messages',
    { cost: 'texts of the user', by: 'turns' },
    listMessages,
    {
      query: ['To', 'From', 'DateSent', 'DateSent<', 'DateSent>', ...PAGE_PARAMETERS],
    },
  ),
  'POST /2010-04-01/Accounts/:AccountSid/Messages.json': defineTwilioRoute(
    'Send a message',
    { cost: 'constant cost', by: 'the bounds of a send to one number' },
    createMessage,
    {
      idempotent: true,
      form: CREATE_PARAMETERS,
      answer: [201, 'The message.'],
    },
    ACTS.send.scopes,
  ),
  'GET /2010-04-01/Accounts/:AccountSid/Messages/:Sid.json': defineTwilioRoute(
    'Fetch a message',
    'keys',
    fetchMessage,
  ),
  'POST /2010-04-01/Accounts/:AccountSid/Messages/:Sid.json': defineTwilioRoute(
    'Cancel a message, or take its text away',
    'keys',
    changeMessage,
    { form: ['Body', 'Status'] },
  ),
  'DELETE /2010-04-01/Accounts/:AccountSid/Messages/:Sid.json': defineTwilioRoute(
    'Delete a message',
    'keys',
    deleteMessage,
    {
      answer: [204, 'It is deleted.'],
    },
  ),
  'GET /2010-04-01/Accounts/:AccountSid/Messages/:Sid/Media.json': defineTwilioRoute(
    'List the media of a message',
    'keys',
    listMedia,
    { query: PAGE_PARAMETERS },
  ),
  'GET /2010-04-01/Accounts/:AccountSid/Messages/:MessageSid/Media/:Sid.json': defineTwilioRoute(
    'Fetch what is known of a file',
    'keys',
    fetchMedium,
  ),
  'GET /2010-04-01/Accounts/:AccountSid/Messages/:MessageSid/Media/:Sid': defineTwilioRoute(
    'Fetch a file',
    'pieces',
    sendMedium,
    {
      isFile: true,
    },
  ),
  'GET /2010-04-01/Accounts/:AccountSid/IncomingPhoneNumbers.json': defineTwilioRoute(
    'List numbers',
    OF_NUMBERS,
    listNumbers,
    {
      query: ['PhoneNumber', 'FriendlyName', ...PAGE_PARAMETERS],
    },
  ),
  'GET /2010-04-01/Accounts/:AccountSid/IncomingPhoneNumbers/:Sid.json': defineTwilioRoute(
    'Fetch a number',
    OF_NUMBERS,
    fetchNumber,
  ),
  'POST /2010-04-01/Accounts/:AccountSid/IncomingPhoneNumbers/:Sid.json': defineTwilioRoute(
    'Say where its texts go',
    OF_NUMBERS,
    changeNumber,
    { form: ['SmsUrl', 'SmsMethod', 'FriendlyName'] },
  ),
})

/** Where SignalWire serves Twilio's Messaging API. */
const SIGNALWIRE_ROOT = '/api/laml'
// Twilio's other products are below `/v1` to `/v3`: calls of them get a 404 in Twilio's form
const ROOTS = ['/2010-04-01', '/v1', '/v2', '/v3', SIGNALWIRE_ROOT]

const makeErrorRoute = (error: (c: Ctx) => TwilioRefusal) =>
  makeUndescribedRow(allowAccount, 'no rows', (_, c) => {
    throw error(c)
  })
const refusingMethod = makeErrorRoute(
  (c) => new TwilioRefusal(20004, `${c.req.method} is not allowed here`),
)
const KNOWN = [...MESSAGE_ROUTES, ...VERIFY_ROUTES]
const OTHERS = makeRoutes(
  'twilio',
  Object.fromEntries([
    ...KNOWN.map(({ at }) => [at.replace(/^\w+/, 'ALL'), refusingMethod]),
    ...ROOTS.map((root) => [`ALL ${root}/*`, makeErrorRoute(makeNotFoundError)]),
  ]),
)

/** Twilio's Messaging API and Verify, for programs that were written for Twilio or SignalWire. */
export const TWILIO: Protocol = {
  group: 'twilio',
  roots: ROOTS,
  errorForm: sendTwilioError,
  rows: [...CONNECTION_ROUTES, ...KNOWN, ...OTHERS],
  tags: [
    {
      name: 'twilio',
      description: "Twilio's Messaging API and Verify, for programs that were written for them.",
    },
  ],
  isNeverRedirected: true,
  canonicalPath: (path) =>
    path.startsWith(`${SIGNALWIRE_ROOT}/2010-04-01/`) ? path.slice(SIGNALWIRE_ROOT.length) : path,
  pathMark: `${SIGNALWIRE_ROOT}/`,
}
