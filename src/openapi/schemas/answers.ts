import { z } from 'zod'
import type {
  ZodOpenApiContentObject,
  ZodOpenApiResponseObject,
  ZodOpenApiResponsesObject,
} from 'zod-openapi'
import { ApiError } from '../../errors.ts'
import { API_ERROR } from './errors.ts'

export type Answers = Record<`${2 | 3 | 4 | 5}${string}`, ZodOpenApiResponseObject>

export const json = (schema: z.ZodType, example?: unknown): ZodOpenApiContentObject => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
})

export const success = (description: string, schema: z.ZodType, example?: unknown): Answers => ({
  200: { description, content: json(schema, example) },
})

export const done = (description: string): Answers => ({ 204: { description } })

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

const ANY = [403, 429, 500, 503] as const

/** The failures of a record API route: these statuses, and those of any route. */
export const failures = (...statuses: (keyof typeof FAILURES)[]): Answers =>
  Object.fromEntries([...new Set([...statuses, ...ANY])].map((status) => [status, FAILURES[status]]))

export function answers(...parts: readonly Answers[]): ZodOpenApiResponsesObject {
  return Object.assign({}, ...parts)
}

const file = (description: string): ZodOpenApiResponseObject => ({
  description,
  content: { '*/*': { schema: z.unknown() } },
})

/** A file, with ranges and conditions of the request. */
export const FILE: Answers = {
  200: file('The file.'),
  206: file('The part of it that was asked for.'),
  304: { description: 'It is as it was.' },
  412: { description: 'A condition of the request does not hold.' },
  416: { description: 'It has no such part.', content: { 'text/plain': { schema: z.string() } } },
}

/** The answers of a route that sends a file. */
export const fileAnswers = (): Answers[] => [FILE, failures(400, 404)]
