import { z } from 'zod'
import type { ZodOpenApiResponseObject } from 'zod-openapi'
import { ApiError } from '../../platform/api-errors.ts'
import type { Answers } from './invalid-answers.ts'
import { describeJson } from './success-answers.ts'

/**
 * The error of a field; of a list or an object, the errors of its parts by index or key. One open object: the
 * Java of OpenAPI Generator does not compile for a union of an object and a map.
 */
const FIELD_ERROR = z
  .looseObject({
    code: z.string().optional().describe('For programs, such as `validation_required`.'),
    message: z.string().optional(),
    params: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({
    id: 'FieldError',
    description: 'Of a list or an object: the errors of its parts, by index or key.',
    dependentRequired: { code: ['message'], message: ['code'], params: ['code'] },
  })

const FIELD_ERRORS = z
  .record(z.string(), FIELD_ERROR)
  .meta({ id: 'FieldErrors', description: 'Errors by field. Empty if no field is wrong.' })

export const API_ERROR = z
  .object({ data: FIELD_ERRORS, message: z.string(), status: z.int() })
  .meta({ id: 'Error', description: "PocketBase's form of an error." })

/** A failure in PocketBase's format. `text`: its message; default: the usual message of the status. */
function describeFailure(
  status: number,
  description: string,
  text?: string,
): ZodOpenApiResponseObject {
  const { message } = new ApiError(status, text)
  return {
    id: `Error${status}`,
    description,
    content: describeJson(API_ERROR, { data: {}, message, status }),
  }
}

const FAILURES = {
  400: describeFailure(400, 'Something in the request is wrong: `data` says which field.'),
  401: describeFailure(
    401,
    'The token is missing, invalid or expired.',
    'The request requires valid record authorization token.',
  ),
  403: describeFailure(403, 'Not for you.'),
  404: describeFailure(404, 'There is no such thing, or not for you.'),
  413: describeFailure(413, 'The body is too large.'),
  415: describeFailure(415, 'The Content-Encoding of the body is not known.'),
  429: describeFailure(429, 'Too many requests: wait, then ask again.'),
  500: describeFailure(500, 'A fault of the server, which is in its log.'),
  503: describeFailure(503, 'The server cannot answer now. Try again.'),
} as const satisfies Record<number, ZodOpenApiResponseObject>

export type FailureStatus = keyof typeof FAILURES

const ANY = [403, 429, 500, 503] as const

/**
 * Failures in PocketBase's format: those with these statuses, and those that any route may have. A route with
 * 413 reads a body, so it has 415, too.
 */
export const listFailureAnswers = (...statuses: FailureStatus[]): Answers =>
  Object.fromEntries(
    [...new Set([...statuses, ...(statuses.includes(413) ? [415 as const] : []), ...ANY])].map(
      (status) => [status, FAILURES[status]],
    ),
  )

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

/** Advice about a frequent mistake, such as an API key in the wrong place. */
export const HINT = z.string().optional().describe('What to do about some frequent mistakes.')

/** The error for a guest in a collection that demands a signed-in user. */
export const GUEST_ERROR = z
  .object({
    error: z.literal('unauthorized'),
    message: z.string(),
    status: z.literal(401),
    data: z.object({}),
    hint: HINT,
  })
  .meta({ id: 'GuestError' })

/** The 401 after the first of two sign-in methods, if both are needed. */
export const MFA_NEEDED = z
  .object({
    mfaId: z.string().describe('Send it with the second method, as `mfaId`.'),
    passkey: z.literal(true).optional().describe('Beside the app, the person has passkeys.'),
    method: z
      .enum(['totp', 'passkey'])
      .optional()
      .describe(
        'The person has an authenticator app (`totp`), or passkeys alone: `request-otp` sends nothing, and `auth-with-otp` takes the code of the app or a recovery code as its password.',
      ),
  })
  .meta({ id: 'MfaNeeded' })
