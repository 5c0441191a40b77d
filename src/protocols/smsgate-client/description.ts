import { z } from 'zod'
import type { ZodOpenApiPathsObject, ZodOpenApiResponseObject } from 'zod-openapi'
import { IDEMPOTENCY } from '../../http/routes/sms.ts'
import { type Answers, json } from '../../openapi/schemas/answers.ts'
import { chapter, type Operation } from '../../openapi/schemas/operations.ts'
import { NOBODY, SMSGATE_CLIENT } from '../../openapi/schemas/security.ts'
import { CLIENT_DEVICE } from './devices.ts'
import { HEALTH } from './health.ts'
import { INBOX_MESSAGE } from './inbox/inbox.ts'
import { REFRESH_BODY } from './inbox/inbox-refresh.ts'
import { MESSAGE_STATE } from './message-state.ts'
import { CLIENT_PATH } from './path.ts'
import { SEND_BODY } from './send-body.ts'
import { CLIENT_SETTINGS, SETTINGS_BODY } from './settings.ts'
import { TOKEN_BODY, TOKEN_PAIR } from './tokens.ts'
import { CLIENT_WEBHOOK, WEBHOOK_BODY } from './webhooks/webhooks.ts'

const TAG = 'smsgate clients'
/** The chapter of the description. */
export const SMSGATE_CLIENT_TAGS = [
  {
    name: TAG,
    description:
      'For programs written for SMSGate\'s server. The same routes are at `/3rdparty/v1`; `message` and `device` stand for `messages` and `devices`, `inbox/export` for `messages/inbox/export`. Errors are `{"message"}`.',
  },
]

const ERROR = z.object({ message: z.string() }).meta({ id: 'SmsgateError' })

const ERRORS: Readonly<Record<number, string>> = {
  400: 'Something in the request cannot be honoured: `message` names it.',
  401: 'The credentials are missing or wrong.',
  402: 'The monthly quota is exceeded.',
  403: 'The API key or token lacks the scope.',
  404: 'There is no such thing, or it is not yours.',
  409: 'The id was used before, or the message can no longer be canceled.',
  413: 'The body is too large.',
  422: 'The Idempotency-Key was used for another request.',
  429: 'Too many requests: wait, then ask again.',
  500: 'A fault of the server, which is in its log.',
  501: 'This server has no such thing.',
  503: 'No device, or no database, is there now. Try again.',
}

const refused = (...statuses: readonly number[]): Answers =>
  Object.fromEntries(
    [...new Set([...statuses, 401, 403, 429, 500, 503])].sort().map((status) => {
      const response: ZodOpenApiResponseObject = { description: ERRORS[status]!, content: json(ERROR) }
      return [status, response]
    }),
  )

const answered = (
  status: number,
  description: string,
  schema?: z.ZodType,
  headers?: z.ZodObject,
): Answers => ({
  [status]: { description, ...(schema && { content: json(schema) }), ...(headers && { headers }) },
})

const operation = (
  id: string,
  summary: string,
  scope: string,
  responses: readonly Answers[],
  more: Partial<Operation> = {},
): Operation => ({
  id,
  summary,
  description: `${summary}. Asks for the scope \`${scope}\`.`,
  ...more,
  responses,
})

const body = (schema: z.ZodType) => ({ body: [schema] }) as const
const path = (...names: readonly string[]) => ({
  path: z.object(Object.fromEntries(names.map((name) => [name, z.string()]))),
})
const query = (...names: readonly string[]) => ({
  params: { query: z.object(Object.fromEntries(names.map((name) => [name, z.string().optional()]))) },
})
const TOTAL = z.object({ 'X-Total-Count': z.string().describe('How many there are in all.') })
const LOCATION = z.object({ Location: z.string(), 'Idempotent-Replayed': z.enum(['true']).optional() })
const ID = { params: path('id') }

const health = (id: string): Operation => ({
  id,
  summary: 'Whether the server works',
  description: 'Whether the server works. Needs no credentials.',
  security: NOBODY,
  responses: [
    answered(200, 'It works.', HEALTH),
    { ...refused(), 503: { description: 'It does not.', content: json(z.union([HEALTH, ERROR])) } },
  ],
})

/** SMSGate's client API. Its routes have a second prefix, `/3rdparty/v1`, and `message` for `messages`. */
export const smsgateClientPaths = (): ZodOpenApiPathsObject =>
  chapter(TAG, SMSGATE_CLIENT, {
    [`POST ${CLIENT_PATH}/messages`]: operation(
      'smsgateSend',
      'Send a text',
      'messages:send',
      [answered(202, 'Accepted.', MESSAGE_STATE, LOCATION), refused(400, 402, 409, 413, 422)],
      {
        ...body(SEND_BODY),
        params: { ...query('skipPhoneValidation', 'deviceActiveWithin').params, header: IDEMPOTENCY },
      },
    ),
    [`GET ${CLIENT_PATH}/messages`]: operation(
      'smsgateListMessages',
      'List sends of this API',
      'messages:list',
      [answered(200, 'A page of them.', z.array(MESSAGE_STATE), TOTAL), refused(400)],
      query('from', 'to', 'state', 'deviceId', 'limit', 'offset', 'sort', 'includeContent'),
    ),
    [`GET ${CLIENT_PATH}/messages/{id}`]: operation(
      'smsgateReadMessage',
      'Read the state of a send',
      'messages:read',
      [answered(200, 'Its state.', MESSAGE_STATE), refused(400, 404)],
      ID,
    ),
    [`DELETE ${CLIENT_PATH}/messages/{id}`]: operation(
      'smsgateCancelMessage',
      'Cancel what no device has begun',
      'messages:cancel',
      [answered(200, 'Its state.', MESSAGE_STATE), refused(400, 404, 409)],
      ID,
    ),
    [`POST ${CLIENT_PATH}/messages/inbox/export`]: operation(
      'smsgateExportInbox',
      'Read inboxes again and tell webhooks (the old form)',
      'messages:export',
      [
        answered(202, 'Asked.', z.object({}), z.object({ Deprecation: z.literal('true') })),
        refused(400, 413),
      ],
      body(REFRESH_BODY),
    ),
    [`GET ${CLIENT_PATH}/devices`]: operation('smsgateListDevices', 'List devices', 'devices:list', [
      answered(200, 'All of them.', z.array(CLIENT_DEVICE)),
      refused(),
    ]),
    [`DELETE ${CLIENT_PATH}/devices/{id}`]: operation(
      'smsgateDeleteDevice',
      'Delete a device',
      'devices:delete',
      [answered(204, 'Deleted.'), refused(400, 404)],
      ID,
    ),
    [`GET ${CLIENT_PATH}/inbox`]: operation(
      'smsgateListInbox',
      'List incoming texts',
      'inbox:list',
      [answered(200, 'A page of them.', z.array(INBOX_MESSAGE), TOTAL), refused(400)],
      query('type', 'from', 'to', 'deviceId', 'limit', 'offset'),
    ),
    [`POST ${CLIENT_PATH}/inbox/refresh`]: operation(
      'smsgateRefreshInbox',
      'Read inboxes of phones again',
      'inbox:refresh',
      [answered(202, 'Asked.', z.object({})), refused(400, 413)],
      body(REFRESH_BODY),
    ),
    [`GET ${CLIENT_PATH}/inbox/{id}/attachments/{part}`]: operation(
      'smsgateReadAttachment',
      'Not kept',
      'inbox:list',
      [refused(501)],
      { params: path('id', 'part') },
    ),
    [`GET ${CLIENT_PATH}/webhooks`]: operation(
      'smsgateListWebhooks',
      "List webhooks of SMSGate's form",
      'webhooks:list',
      [answered(200, 'All of them.', z.array(CLIENT_WEBHOOK)), refused()],
    ),
    [`POST ${CLIENT_PATH}/webhooks`]: operation(
      'smsgateSaveWebhook',
      'Add a webhook, or replace the one with its id',
      'webhooks:write',
      [answered(201, 'Saved.', CLIENT_WEBHOOK), refused(400, 413)],
      body(WEBHOOK_BODY),
    ),
    [`DELETE ${CLIENT_PATH}/webhooks/{id}`]: operation(
      'smsgateDeleteWebhook',
      'Delete a webhook',
      'webhooks:delete',
      [answered(204, 'There is none with this id.'), refused(400)],
      ID,
    ),
    [`GET ${CLIENT_PATH}/settings`]: operation(
      'smsgateReadSettings',
      'Read the settings of phones',
      'settings:read',
      [answered(200, 'The settings.', CLIENT_SETTINGS), refused()],
    ),
    ...Object.fromEntries(
      (['PATCH', 'PUT'] as const).map((method) => [
        `${method} ${CLIENT_PATH}/settings`,
        operation(
          `smsgate${method === 'PUT' ? 'Replace' : 'Change'}Settings`,
          'Set the key that webhooks are signed with',
          'settings:write',
          [answered(200, 'The settings.', CLIENT_SETTINGS), refused(400, 413)],
          body(SETTINGS_BODY),
        ),
      ]),
    ),
    [`POST ${CLIENT_PATH}/auth/token`]: operation(
      'smsgateIssueTokens',
      'Make a pair of tokens',
      'tokens:manage',
      [answered(201, 'The pair.', TOKEN_PAIR), refused(400, 413)],
      body(TOKEN_BODY),
    ),
    [`POST ${CLIENT_PATH}/auth/token/refresh`]: operation(
      'smsgateRefreshTokens',
      'Trade a refresh token for another pair',
      'tokens:refresh',
      [answered(201, 'The pair.', TOKEN_PAIR), refused()],
    ),
    [`DELETE ${CLIENT_PATH}/auth/token/{id}`]: operation(
      'smsgateRevokeTokens',
      'Revoke a pair of tokens',
      'tokens:manage',
      [answered(204, 'There is none with this id.'), refused()],
      ID,
    ),
    [`GET ${CLIENT_PATH}/logs`]: operation(
      'smsgateReadLogs',
      'Not kept',
      'logs:read',
      [refused(501)],
      query('from', 'to'),
    ),
    [`GET ${CLIENT_PATH}/health`]: health('smsgateHealth'),
    [`GET ${CLIENT_PATH}/health/{probe}`]: { ...health('smsgateProbe'), params: path('probe') },
  })
