import { z } from 'zod'
import type {
  ZodOpenApiContentObject,
  ZodOpenApiOperationObject,
  ZodOpenApiPathsObject,
  ZodOpenApiResponseObject,
} from 'zod-openapi'
import { ApiError } from '../errors.ts'
import { OTHER_REFUSALS, REFUSALS, type RefusalCode } from '../sms/send/refusals.ts'
import { WEBHOOK_REFUSALS } from '../webhooks/owner.ts'
import { type Answers, orInvalid } from './answers.ts'

export interface Operation extends Omit<ZodOpenApiOperationObject, 'responses' | 'tags' | 'operationId'> {
  readonly id: string
  readonly params?: ZodOpenApiOperationObject['requestParams']
  readonly body?: readonly [schema: z.ZodType, example?: unknown]
  /** The successful answer: JSON, or an empty 204 if there is no schema. */
  readonly answer?: readonly [description: string, schema?: z.ZodType]
  /**
   * Failures in PocketBase's format, besides those of all routes. Default: what `security` and `body` imply.
   */
  readonly fails?: Answers | readonly FailureStatus[]
  /** Failures as `{"error","message"}`, in place of `fails`. `security` and `body` add theirs. */
  readonly refuses?: readonly RefusalCode[]
  readonly hasTemplate?: boolean
  readonly responses?: Answers
}

/** OpenAPI paths of one tag. Operations are named by method and path; each may set its own `security`. */
export function chapter(tag: string, security: Security, operations: Readonly<Record<string, Operation>>) {
  const paths: ZodOpenApiPathsObject = {}
  for (const [name, operation] of Object.entries(operations)) {
    const { id, params, body, answer, fails, refuses, hasTemplate, responses, ...more } = {
      security,
      ...operation,
    }
    const [method, path] = name.split(' ') as [string, string]
    const requestParams = path.includes('{') ? { ...pathParams(path), ...params } : params
    paths[path] = {
      ...paths[path],
      [method.toLowerCase()]: {
        operationId: id,
        tags: [tag],
        ...(requestParams && { requestParams }),
        ...(body && { requestBody: { required: true, content: json(...body) } }),
        ...more,
        responses: {
          ...(answer && success(...answer)),
          ...(refuses
            ? refused(refuses, more.security, body ?? more.requestBody, hasTemplate)
            : failuresOf(
                fails ?? [
                  ...(more.security === SIGNED_IN ? [401 as const] : []),
                  ...(body ? ([400, 413] as const) : []),
                ],
              )),
          ...responses,
        },
      },
    }
  }
  return paths
}

const failuresOf = (fails: NonNullable<Operation['fails']>): Answers =>
  'map' in fails ? failures(...fails) : fails

function refused(named: readonly RefusalCode[], security: Security, body: unknown, hasTemplate = false) {
  const ofCaller = security === NOBODY ? [] : (['unauthorized', 'forbidden'] as const)
  const ofBody = body ? (['invalid_request', 'request_too_large'] as const) : []
  const answers = refusals(...ofBody, ...ofCaller, ...named)
  return hasTemplate ? orInvalid(answers, TEMPLATE_REFUSAL, TEMPLATE_FAULT) : answers
}

export const texts = (names: readonly string[], one: z.ZodType = z.string()) =>
  z.object(Object.fromEntries(names.map((name) => [name, one])))

const PATH_PARAMS: Readonly<Record<string, z.ZodType>> = {
  batch_id: z.string().describe('Out of the answer to the send.'),
  key: z.string().describe('The `key` of a listed backup.'),
  collection: z.string().describe('Name or id of the collection.'),
  record: z.string().describe('Id of the record.'),
  filename: z.string().describe('The name that the record has in one of its file fields.'),
}

function pathParams(path: string): { path?: z.ZodObject } {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const params = names.map((name) => [name, PATH_PARAMS[name] ?? z.string()])
  return names.length > 0 ? { path: z.object(Object.fromEntries(params)) } : {}
}

export const SENDING = 'sending'
export const ACCOUNT = 'account'
export const SERVER = 'server'

export type Security = NonNullable<ZodOpenApiOperationObject['security']>

export const SECURITY_SCHEMES = {
  token: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The token of a sign-in. `Bearer` may be left out.',
  },
  deviceToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The token of a pairing.',
  },
  smsgateLogin: {
    type: 'http',
    scheme: 'basic',
    description: "The user's email or id, and an API key as the password.",
  },
  smsgateToken: { type: 'http', scheme: 'bearer', description: 'An API key, or a token of `/auth/token`.' },
  hook: { type: 'http', scheme: 'bearer', description: 'The secret of a record of `hooks`.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key: `psk_…`.' },
  twilio: {
    type: 'http',
    scheme: 'basic',
    description: 'The AccountSid or the SID of a key, and the AuthToken: of an API key made with `twilio`.',
  },
} as const

export const NOBODY: Security = []
export const SIGNED_IN: Security = [{ token: [] }]
/** No credentials needed; a token may show or allow more. */
export const ANYONE: Security = [{}, { token: [] }]
export const SENDER: Security = [{ apiKey: [] }, { token: [] }]
export const KEY_HOLDER: Security = [{ apiKey: [] }]
export const TWILIO: Security = [{ twilio: [] }]
export const HOOK: Security = [{ hook: [] }]
export const DEVICE: Security = [{ deviceToken: [] }]
export const SMSGATE_CLIENT: Security = [{ smsgateLogin: [] }, { smsgateToken: [] }]

export const json = (schema: z.ZodType, example?: unknown): ZodOpenApiContentObject => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
})

const success = (description: string, schema?: z.ZodType): Answers =>
  schema ? { 200: { description, content: json(schema) } } : { 204: { description } }

export const textAnswer = (type: string, description: string): Answers => ({
  200: { description, content: { [type]: { schema: z.string() } } },
})

const FIELD_ERROR = z
  .object({
    code: z.string().describe('For programs, such as `validation_required`.'),
    message: z.string(),
    params: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'FieldError' })

/** Errors by field. For a list or an object, the errors of its parts are nested, by index or key. */
const FIELD_ERRORS: z.ZodType = z
  .lazy(() => z.record(z.string(), z.union([FIELD_ERROR, FIELD_ERRORS])))
  .meta({ id: 'FieldErrors', description: 'Errors by field. Empty if no field is wrong.' })

export const API_ERROR = z
  .object({ data: FIELD_ERRORS, message: z.string(), status: z.int() })
  .meta({ id: 'Error', description: "PocketBase's form of an error." })

/** A failure in PocketBase's format. `text`: its message; default: the usual message of the status. */
function failed(status: number, description: string, text?: string): ZodOpenApiResponseObject {
  const { message } = new ApiError(status, text)
  return { id: `Error${status}`, description, content: json(API_ERROR, { data: {}, message, status }) }
}

const FAILURES = {
  400: failed(400, 'Something in the request is wrong: `data` says which field.'),
  401: failed(
    401,
    'The token is missing, invalid or expired.',
    'The request requires valid record authorization token.',
  ),
  403: failed(403, 'Not for you.'),
  404: failed(404, 'There is no such thing, or not for you.'),
  413: failed(413, 'The body is too large.'),
  429: failed(429, 'Too many requests: wait, then ask again.'),
  500: failed(500, 'A fault of the server, which is in its log.'),
  503: failed(503, 'The server cannot answer now. Try again.'),
} as const satisfies Record<number, ZodOpenApiResponseObject>

type FailureStatus = keyof typeof FAILURES

const ANY = [403, 429, 500, 503] as const

/** Failures in PocketBase's format: those with these statuses, and those that any route may have. */
export const failures = (...statuses: FailureStatus[]): Answers =>
  Object.fromEntries([...new Set([...statuses, ...ANY])].map((status) => [status, FAILURES[status]]))

const file = (description: string): ZodOpenApiResponseObject => ({
  description,
  content: { '*/*': { schema: z.unknown() } },
})

export const FILE: Answers = {
  200: file('The file.'),
  206: file('The part of it that was asked for.'),
  304: { description: 'It is as it was.' },
  412: { description: 'A condition of the request does not hold.' },
  416: { description: 'It has no such part.', content: { 'text/plain': { schema: z.string() } } },
}

export const BATCH_ERROR = z
  .object({
    data: z.object({
      requests: z.record(
        z.string(),
        z.object({ code: z.string(), message: z.string(), response: API_ERROR }),
      ),
    }),
    message: z.string(),
    status: z.literal(400),
  })
  .meta({ id: 'BatchError' })

/** The error for a guest in a collection that demands a signed-in user. */
export const GUEST_ERROR = z
  .object({
    error: z.literal('unauthorized'),
    message: z.literal('Authentication required'),
    status: z.literal(401),
    data: z.object({}),
  })
  .meta({ id: 'GuestError' })

/** The 401 after the first of two sign-in methods, if both are needed. */
export const MFA_NEEDED = z
  .object({ mfaId: z.string().describe('Send it with the second method, as `mfaId`.') })
  .meta({ id: 'MfaNeeded' })

const MESSAGES: Partial<Record<RefusalCode, string>> = {
  invalid_request: 'recipients must be a list of phone numbers',
  too_many_recipients: 'At most 1000 recipients per request',
  request_too_large: 'The body must have at most 4194304 bytes',
}

const ANY_REFUSAL = [
  [400, 'invalid_request', 'This takes too long. Ask for less: a shorter period, a simpler filter.'],
  [403, 'forbidden', 'You are not allowed to perform this request.'],
  [429, OTHER_REFUSALS[429], 'Too Many Requests.'],
  [500, OTHER_REFUSALS[500], 'Something went wrong while processing your request.'],
  [503, OTHER_REFUSALS[503], 'The database cannot be reached at the moment.'],
] as const

type Row = readonly [status: number, error: string, message: string]

/** Error responses as `{"error","message"}`: those named, and those that any request may get. */
export const refusals = (...named: readonly RefusalCode[]): Answers =>
  answersOf(named.map((name) => [REFUSALS[name][0], name, REFUSALS[name][1] || MESSAGES[name]!]))

/** Error responses of a webhook route: those named, 401, 403, and those that any request may get. */
export const webhookRefusals = (...named: readonly (keyof typeof WEBHOOK_REFUSALS)[]): Answers =>
  answersOf(
    (['unauthorized', 'forbidden', ...named] as const).map((name) => {
      const [status, message] = WEBHOOK_REFUSALS[name]
      return [status, name, message]
    }),
  )

function answersOf(rows: readonly Row[]): Answers {
  const byStatus = Map.groupBy([...rows, ...ANY_REFUSAL], ([status]) => status)
  return Object.fromEntries([...byStatus].map(([status, some]) => [status, answerOf(some)])) as Answers
}

function answerOf(rows: readonly Row[]): ZodOpenApiResponseObject {
  const errors = [...new Set(rows.map(([, error]) => error))] as [string, ...string[]]
  const schema = z.object({
    error: z.enum(errors).describe('For programs.'),
    message: z.string().describe('For people.'),
    ...(errors.includes('owned_by_campaign') && {
      campaign: z.string().optional().describe('With `owned_by_campaign`: the id of the campaign.'),
    }),
    ...(rows.some(([status]) => status === 429) && {
      retry_after: z.int().min(1).optional().describe('Seconds to wait, with limits of one number.'),
    }),
  })
  const examples = rows.map(([, error, message]) => [error, { value: { error, message } }] as const)
  return {
    description: `Refused: ${errors.map((error) => `\`${error}\``).join(', ')}.`,
    content: { 'application/json': { schema, examples: Object.fromEntries(examples.toReversed()) } },
  }
}

const TEMPLATE_REFUSAL = z.object({ message: z.string() }).meta({ id: 'TemplateRefusal' })

const TEMPLATE_FAULT = { template: { value: { message: 'Missing variable: code.' } } }
