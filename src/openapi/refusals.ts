import { z } from 'zod'
import type { ZodOpenApiResponseObject } from 'zod-openapi'
import { OTHER_REFUSALS, REFUSALS, type RefusalCode } from '../sms/send/refusals.ts'
import { WEBHOOK_REFUSALS } from '../webhooks/owner.ts'
import type { Answers } from './answers.ts'
import { HINT } from './failures.ts'

const MESSAGES: Partial<Record<RefusalCode, string>> = {
  invalid_request: 'recipients must be a list of phone numbers',
  invalid_template: 'Missing variable: code.',
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

/** Refusals that may come with a hint. */
const HINTED: ReadonlySet<string> = new Set([
  'unauthorized',
  'forbidden',
  'invalid_phone_number',
  'no_devices',
])

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
    ...(errors.some((error) => HINTED.has(error)) && { hint: HINT }),
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
