import { z } from 'zod'
import type { ZodOpenApiResponseObject } from 'zod-openapi'
import { OTHER_REFUSALS, type Refusals } from '../../platform/common-refusals.ts'
import { HINT } from './failures.ts'
import type { Answers } from './invalid-answers.ts'

/** Parts of an error beside code and message. */
type Extras = Readonly<Record<string, z.ZodType>>

/** A refusal that a route may answer with, and its message or an example of it. */
export type DescribedRefusal = readonly [
  status: number,
  error: string,
  message: string,
  extras?: Extras,
]

interface RefusalDetails {
  /** Messages of refusals whose message depends on the request. */
  readonly examples?: Readonly<Record<string, string>>
  readonly extras?: Readonly<Record<string, Extras>>
}

const COMMON_EXAMPLES: RefusalDetails['examples'] = {
  invalid_request: 'recipients must be a list of phone numbers',
  request_too_large: 'The body must have at most 4194304 bytes',
  unsupported_media_type:
    'The Content-Encoding "lzma" is not known. Send gzip, deflate, br, zstd, or none.',
}
const COMMON_EXTRAS: RefusalDetails['extras'] = {
  unauthorized: { hint: HINT },
  forbidden: { hint: HINT },
}

const ANY_REFUSAL: readonly DescribedRefusal[] = [
  [
    400,
    'invalid_request',
    'This takes too long. Ask for less: a shorter period, a simpler filter.',
  ],
  [403, 'forbidden', 'You are not allowed to perform this request.', COMMON_EXTRAS.forbidden],
  [429, OTHER_REFUSALS[429], 'Too Many Requests.'],
  [500, OTHER_REFUSALS[500], 'Something went wrong while processing your request.'],
  [503, OTHER_REFUSALS[503], 'The database cannot be reached at the moment.'],
]

export function makeErrorDescriber<R extends Refusals>(refusals: R, details: RefusalDetails = {}) {
  const examples = { ...COMMON_EXAMPLES, ...details.examples }
  const extras = { ...COMMON_EXTRAS, ...details.extras }
  return (...codes: (keyof R & string)[]): readonly DescribedRefusal[] =>
    codes.map((code) => {
      const [status, message] = refusals[code]!
      return [status, code, message || examples[code]!, extras[code]]
    })
}

/** Error responses as `{"error","message"}`: those given, and those that any request may get. */
export function listErrorAnswers(rows: readonly DescribedRefusal[]): Answers {
  const byStatus = Map.groupBy([...rows, ...ANY_REFUSAL], ([status]) => status)
  return Object.fromEntries(
    [...byStatus].map(([status, some]) => [status, makeRefusalAnswer(some)]),
  ) as Answers
}

function makeRefusalAnswer(rows: readonly DescribedRefusal[]): ZodOpenApiResponseObject {
  const errors = [...new Set(rows.map(([, error]) => error))] as [string, ...string[]]
  const schema = z.object({
    error: z.enum(errors).describe('For programs.'),
    message: z.string().describe('For people.'),
    ...Object.assign({}, ...rows.map(([, , , extras]) => extras)),
    ...(rows.some(([status]) => status === 429) && {
      retry_after: z
        .int()
        .min(1)
        .optional()
        .describe('Seconds to wait, with limits of one number.'),
    }),
  })
  const examples = rows.map(([, error, message]) => [error, { value: { error, message } }] as const)
  return {
    description: `Refused: ${errors.map((error) => `\`${error}\``).join(', ')}.`,
    content: {
      'application/json': { schema, examples: Object.fromEntries(examples.toReversed()) },
    },
  }
}
