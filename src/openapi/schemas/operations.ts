import { z } from 'zod'
import type {
  ZodOpenApiContentObject,
  ZodOpenApiOperationObject,
  ZodOpenApiPathsObject,
  ZodOpenApiResponseObject,
} from 'zod-openapi'
import { ApiError } from '../../errors.ts'
import type { RefusalCode } from '../../sms/send/shape.ts'
import { type Answers, orTemplateFault, refusals } from './refusals.ts'

export type { Answers } from './refusals.ts'

export interface Operation extends Omit<ZodOpenApiOperationObject, 'responses' | 'tags' | 'operationId'> {
  readonly id: string
  readonly params?: ZodOpenApiOperationObject['requestParams']
  readonly body?: readonly [schema: z.ZodType, example?: unknown]
  /** The success: JSON, or without a schema an empty 204. */
  readonly answer?: readonly [description: string, schema?: z.ZodType]
  /** Failures; in PocketBase's form by status, beside those of any route. Default: see `usualFailures`. */
  readonly fails?: Answers | readonly FailureStatus[]
  /** Failures of a gateway route, in place of `fails`: those beside credentials and bodies. */
  readonly refuses?: readonly RefusalCode[]
  readonly hasTemplate?: boolean
  readonly responses?: Answers
}

/** Operations of a chapter (tag), by method and path: `GET /api/ready`. Each may set its own security. */
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
            : failuresOf(fails ?? usualFailures(more.security, body))),
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
  return hasTemplate ? orTemplateFault(answers) : answers
}

/** Statuses for missing credentials, and for a wrong or too large body. */
const usualFailures = (security: Security, body: Operation['body']): FailureStatus[] => [
  ...(security === SIGNED_IN ? [401 as const] : []),
  ...(body ? ([400, 413] as const) : []),
]

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
/** For clients written for SMSGate's server. */
export const SMSGATE_CLIENT: Security = [{ smsgateLogin: [] }, { smsgateToken: [] }]

export const json = (schema: z.ZodType, example?: unknown): ZodOpenApiContentObject => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
})

const success = (description: string, schema?: z.ZodType): Answers =>
  schema ? { 200: { description, content: json(schema) } } : { 204: { description } }

/** A success whose body is text, not JSON. */
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

/** Errors by field; those of a list or of an object inside are nested, by index or key. */
const FIELD_ERRORS: z.ZodType = z
  .lazy(() => z.record(z.string(), z.union([FIELD_ERROR, FIELD_ERRORS])))
  .meta({ id: 'FieldErrors', description: 'What is wrong, by field. Empty when no field is to blame.' })

export const API_ERROR = z
  .object({ data: FIELD_ERRORS, message: z.string(), status: z.int() })
  .meta({ id: 'Error', description: "PocketBase's form of an error." })

/** A failure in PocketBase's form, by default with its status's message. */
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

/** The failures of a record API route: these statuses, and those of any route. */
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

/** The error for a guest where sign-in is required. */
export const GUEST_ERROR = z
  .object({
    error: z.literal('unauthorized'),
    message: z.literal('Authentication required'),
    status: z.literal(401),
    data: z.object({}),
  })
  .meta({ id: 'GuestError' })

/** The first of two sign-in methods succeeded; the second is needed. */
export const MFA_NEEDED = z
  .object({ mfaId: z.string().describe('Send it with the second method, as `mfaId`.') })
  .meta({ id: 'MfaNeeded' })
