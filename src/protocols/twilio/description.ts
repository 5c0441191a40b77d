import { z } from 'zod'
import type { Store } from '../../collections/catalog.ts'
import type { Ctx, Services } from '../../http/context.ts'
import { type Answers, json } from '../../openapi/schemas/answers.ts'
import { type Operation, texts } from '../../openapi/schemas/operations.ts'
import type { Account } from './credentials.ts'
import type { Parameters } from './parameters.ts'

export interface Call {
  readonly c: Ctx
  readonly services: Services
  readonly account: Account
  readonly store: Store
  readonly user: string
  /** The last SID in the path. */
  readonly sid: string
  /** Of the form, or of the query of a route without one. */
  readonly parameters: Parameters
}

export interface Route {
  readonly at: string
  readonly id: string
  readonly summary: string
  /** Names of the query's and the body's parameters. */
  readonly query?: readonly string[]
  readonly form?: readonly string[]
  readonly params?: Operation['params']
  readonly status?: 200 | 201 | 204
  /** The answer is a file, which `work` sends. */
  readonly isFile?: boolean
  readonly answer: readonly [description: string, schema?: z.ZodType]
  readonly refused?: readonly number[]
  readonly work: (call: Call) => Promise<unknown>
}

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

export const failures = (...statuses: number[]): Answers =>
  Object.fromEntries(
    [400, 401, 404, ...statuses, 429, 500, 503].map((status) => [
      status,
      { description: FAILURES[status]!, content: json(ERROR) },
    ]),
  ) as Answers

export const parametersOf = ({ query, params }: Pick<Route, 'query' | 'params'>) => ({
  ...(query && { query: texts(query, z.string().optional()) }),
  ...params,
})

export const bodyOf = ({ form }: Pick<Route, 'form'>) =>
  form && {
    requestBody: {
      required: true,
      content: { 'application/x-www-form-urlencoded': { schema: texts(form, z.string().optional()) } },
    },
  }
