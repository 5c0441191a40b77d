import { z } from 'zod'
import { makeTextParams, type Operation } from '../http/openapi/describe-operations.ts'
import type { Answers } from '../http/openapi/invalid-answers.ts'
import { describeJson, FILE } from '../http/openapi/success-answers.ts'
import type { Ctx } from '../http/request-context.ts'
import { sendRaw } from '../http/send-answer.ts'

/** The description of a route of another product's API, for OpenAPI. */
export interface Description {
  /** The OpenAPI operation id. Default: made from method and path. */
  readonly id?: string
  readonly summary: string
  /** Default: `summary`. */
  readonly description?: string
  /** Names of the query parameters. `form`: those of a form in the body. */
  readonly query?: readonly string[]
  readonly form?: readonly string[]
  /** See `Row`. */
  readonly idempotent?: true
  readonly body?: z.ZodType
  readonly answer?: readonly [
    status: 200 | 201 | 202 | 204 | 501,
    description: string,
    schema?: z.ZodType,
    headers?: z.ZodObject,
  ]
  /** The schema of error bodies. Default: any. */
  readonly error?: z.ZodType
  /** The answer is a file, which the route sends. */
  readonly isFile?: boolean
  /** The answer is plain text, which the route sends. */
  readonly isText?: boolean
}

/** The description of a row, and how the row's answer is sent: with the described status. */
export function describeRoute(route: Description) {
  const {
    id,
    summary,
    description = summary,
    query,
    form,
    idempotent,
    body,
    error,
    isFile,
    isText,
  } = route
  const { answer = [200, 'As the other product documents it.'] } = route
  const describe: Operation = {
    ...(id && { id }),
    summary,
    description,
    params: {
      ...(query && { query: makeOptionalParams(query.filter(hasPlainName)) }),
    },
    ...(body && { body: [body] as const }),
    ...(form && {
      requestBody: {
        required: true,
        content: { 'application/x-www-form-urlencoded': { schema: makeOptionalParams(form) } },
      },
    }),
    fails: describeFailures(error, isText),
    responses: isFile ? FILE : describeAnswer(answer, isText),
  }
  return {
    describe,
    ...(idempotent && { idempotent }),
    send: (c: Ctx, text: string) => sendRaw(c, text, answer[0] as 200),
  }
}

const makeOptionalParams = (names: readonly string[]) =>
  makeTextParams(names, z.string().optional())

/** The OpenAPI response of a route. Without a schema, the answer is as the other product documents it. */
const describeAnswer = (
  [status, description, schema = z.unknown(), headers]: NonNullable<Description['answer']>,
  isText = false,
): Answers => ({
  [status]: {
    description,
    ...(status !== 204 && { content: isText ? describePlainText(schema) : describeJson(schema) }),
    ...(headers && { headers }),
  },
})

const describePlainText = (schema: z.ZodType) => ({ 'text/plain': { schema } })

const FAILURES: Readonly<Record<number, string>> = {
  400: 'Something in the request cannot be honoured: the sentence names it.',
  401: 'The credentials are missing or wrong.',
  402: 'The monthly quota is exceeded.',
  403: 'The API key or token lacks the scope.',
  404: 'There is no such thing, or it is not yours.',
  409: 'What it names is ambiguous, was used before, or is no longer as it must be.',
  413: 'The body is too large.',
  415: 'The Content-Encoding of the body is not known.',
  422: 'The Idempotency-Key was used for another request.',
  429: 'Too many requests: wait, then ask again.',
  500: 'A fault of the server, which is in its log.',
  501: 'This server has no such thing.',
  503: 'No device, or no database, is there now. Try again.',
}

/** The OpenAPI responses for errors, by status. */
export const describeFailures = (schema: z.ZodType = z.unknown(), isText = false): Answers =>
  Object.fromEntries(
    Object.entries(FAILURES).map(([status, description]) => [
      status,
      { description, content: isText ? describePlainText(schema) : describeJson(schema) },
    ]),
  )

/** Generators of clients make one name of Twilio's `DateSent`, `DateSent<` and `DateSent>`. */
const hasPlainName = (name: string) => !/[<>]/.test(name)
