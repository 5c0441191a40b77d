import { describeRefusals } from '../../gateway/base/describe-gateway-errors.ts'
import { byReader } from '../../gateway/messages/require-sender.ts'
import { IDEMPOTENCY } from '../../gateway/messages/send-routes.ts'
import type { Ctx } from '../../http/context.ts'
import { refusalAnswers } from '../../http/openapi/gateway-error-answers.ts'
import { SENDING } from '../../http/openapi/operations.ts'
import { rows, undescribed } from '../../http/rows.ts'
import type { Protocol } from '../gateway-services.ts'
import {
  accountOrGuest,
  CONNECTION,
  describeConnection,
  findAccount,
  listAccounts,
  readTwilioKey,
} from './account.ts'
import { changeMessage, deleteMessage } from './change-message.ts'
import { changeNumber } from './change-number.ts'
import { CREATE_PARAMETERS, createMessage } from './create-message.ts'
import { fetchMedium, listMedia, sendMedium } from './media.ts'
import { fetchMessage, listMessages } from './messages.ts'
import { fetchNumber, listNumbers } from './numbers.ts'
import { PAGE_PARAMETERS } from './pages.ts'
import { byAccount, route } from './permission.ts'
import { notFound, TwilioRefusal, twilioForm } from './twilio-errors.ts'
import { VERIFY_ROUTES } from './verify-routes.ts'

// members have no account of Twilio's
const { least: _, ...byOwnerOrKey } = byReader('readUsage')

const CONNECTION_ROUTES = rows(SENDING, {
  'GET /api/sms/twilio': {
    permission: byOwnerOrKey,
    describe: {
      id: 'twilioConnection',
      summary: "Read the settings for Twilio's libraries",
      description:
        'Account and numbers as SIDs. The token is shown only once, in the answer that creates the key.',
      answer: ['The account.', CONNECTION],
      fails: refusalAnswers(describeRefusals('unauthorized', 'forbidden')),
    },
    run: (caller) => describeConnection(caller, caller.services.config),
  },
})

const MESSAGE_ROUTES = rows('twilio', {
  'GET /2010-04-01/Accounts.json': route('List accounts', listAccounts, { query: PAGE_PARAMETERS }),
  'GET /2010-04-01/Accounts/:AccountSid.json': route('Fetch an account', findAccount),
  'GET /2010-04-01/Accounts/:AccountSid/Messages.json': route('List messages', listMessages, {
    query: ['To', 'From', 'DateSent', 'DateSent<', 'DateSent>', ...PAGE_PARAMETERS],
  }),
  'POST /2010-04-01/Accounts/:AccountSid/Messages.json': route('Send a message', createMessage, {
    header: IDEMPOTENCY,
    form: CREATE_PARAMETERS,
    answer: [201, 'The message.'],
  }),
  'GET /2010-04-01/Accounts/:AccountSid/Messages/:Sid.json': route('Fetch a message', fetchMessage),
  'POST /2010-04-01/Accounts/:AccountSid/Messages/:Sid.json': route(
    'Cancel a message, or take its text away',
    changeMessage,
    { form: ['Body', 'Status'] },
  ),
  'DELETE /2010-04-01/Accounts/:AccountSid/Messages/:Sid.json': route(
    'Delete a message',
    deleteMessage,
    {
      answer: [204, 'It is deleted.'],
    },
  ),
  'GET /2010-04-01/Accounts/:AccountSid/Messages/:Sid/Media.json': route(
    'List the media of a message',
    listMedia,
    { query: PAGE_PARAMETERS },
  ),
  'GET /2010-04-01/Accounts/:AccountSid/Messages/:MessageSid/Media/:Sid.json': route(
    'Fetch what is known of a file',
    fetchMedium,
  ),
  'GET /2010-04-01/Accounts/:AccountSid/Messages/:MessageSid/Media/:Sid': route(
    'Fetch a file',
    sendMedium,
    {
      isFile: true,
    },
  ),
  'GET /2010-04-01/Accounts/:AccountSid/IncomingPhoneNumbers.json': route(
    'List numbers',
    listNumbers,
    {
      query: ['PhoneNumber', 'FriendlyName', ...PAGE_PARAMETERS],
    },
  ),
  'GET /2010-04-01/Accounts/:AccountSid/IncomingPhoneNumbers/:Sid.json': route(
    'Fetch a number',
    fetchNumber,
  ),
  'POST /2010-04-01/Accounts/:AccountSid/IncomingPhoneNumbers/:Sid.json': route(
    'Say where its texts go',
    changeNumber,
    { form: ['SmsUrl', 'SmsMethod', 'FriendlyName'] },
  ),
})

// Twilio's other products are below `/v1` to `/v3`: calls of them get a 404 in Twilio's form
const ROOTS = ['/2010-04-01', '/v1', '/v2', '/v3']

const refusing = (error: (c: Ctx) => TwilioRefusal) =>
  undescribed(byAccount, (_, c) => {
    throw error(c)
  })
const refusingMethod = refusing(
  (c) => new TwilioRefusal(20004, `${c.req.method} is not allowed here`),
)
const KNOWN = [...MESSAGE_ROUTES, ...VERIFY_ROUTES]
const OTHERS = rows(
  'twilio',
  Object.fromEntries([
    ...KNOWN.map(({ at }) => [at.replace(/^\w+/, 'ALL'), refusingMethod]),
    ...ROOTS.map((root) => [`ALL ${root}/*`, refusing(notFound)]),
  ]),
)

/** Twilio's Messaging API and Verify, for programs that were written for Twilio. */
export const TWILIO: Protocol = {
  group: 'twilio',
  roots: ROOTS,
  errorForm: twilioForm,
  rows: [...CONNECTION_ROUTES, ...KNOWN, ...OTHERS],
  tags: [
    {
      name: 'twilio',
      description: "Twilio's Messaging API and Verify, for programs that were written for them.",
    },
  ],
  identify: accountOrGuest,
  keyIn: readTwilioKey,
  isNeverRedirected: true,
}
