import { z } from 'zod'
import type { Ctx, Services } from '../../http/context.ts'
import { failuresOf, type TableRoute } from '../route-table.ts'
import type { Account } from './credentials.ts'
import type { Parameters } from './refusal.ts'

export interface Call extends Account {
  readonly c: Ctx
  readonly services: Services
  /** The last SID in the path. */
  readonly sid: string
  /** Parameters of the form, or of the query for routes without a form. */
  readonly parameters: Parameters
}

export type Route = TableRoute<Call>

const ERROR = z
  .strictObject({
    code: z.int().describe("Twilio's number of the error."),
    message: z.string(),
    more_info: z.string(),
    status: z.int().describe('The HTTP status.'),
  })
  .meta({ id: 'TwilioError' })

/** How its routes may fail. */
export const FAILURES = failuresOf(ERROR, {
  400: 'A parameter is wrong: `code` says which.',
  401: 'The credentials are wrong.',
  403: 'No codes may be sent to this number.',
  404: 'There is no such thing, or not for you.',
  409: 'The message is not in a status for this.',
  413: 'The body is too large.',
  429: 'Too many requests, or the quota of the month is used up.',
  500: 'A fault of the server.',
  503: 'No device is online, or the server cannot answer now.',
})
