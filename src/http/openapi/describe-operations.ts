import { z } from 'zod'
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi'
import { COMMON_REFUSALS } from '../../platform/common-refusals.ts'
import { type FailureStatus, listFailureAnswers } from './failures.ts'
import {
  type DescribedRefusal,
  listErrorAnswers,
  makeErrorDescriber,
} from './gateway-error-answers.ts'
import type { Answers } from './invalid-answers.ts'
import { SECURITY_REQUIREMENTS, type Security } from './security.ts'
import { describeJson, describeSuccess } from './success-answers.ts'

type Fails = Answers | readonly FailureStatus[] | readonly DescribedRefusal[]

export interface Operation
  extends Omit<ZodOpenApiOperationObject, 'responses' | 'tags' | 'operationId' | 'security'> {
  /** Default: made from method and path. */
  readonly id?: string
  /** Default: that of the route or chapter. */
  readonly security?: Security
  readonly params?: ZodOpenApiOperationObject['requestParams']
  readonly body?: readonly [schema: z.ZodType, example?: unknown]
  /** The successful answer: JSON, or an empty 204 if there is no schema. */
  readonly answer?: readonly [description: string, schema?: z.ZodType]
  /**
   * Failures besides those of all routes: by status in PocketBase's format, or refusals as
   * `{"error","message"}`, to which `security` and `body` add theirs. Default: statuses that they imply.
   */
  readonly fails?: Fails
  readonly responses?: Answers
}

/** OpenAPI paths of one tag. Operations are named by method and path; each may set its own `security`. */
export function describeChapter(
  tag: string,
  security: Security,
  operations: Readonly<Record<string, Operation>>,
) {
  const paths: ZodOpenApiPathsObject = {}
  for (const [at, operation] of Object.entries(operations))
    describeOperation(paths, at, tag, security, operation)
  return paths
}

/** Adds an operation to OpenAPI paths. `at`: its method and path. */
export function describeOperation(
  paths: ZodOpenApiPathsObject,
  at: string,
  tag: string,
  security: Security,
  operation: Operation,
): void {
  const {
    id,
    params,
    body,
    answer,
    fails,
    responses,
    security: by,
    ...more
  } = {
    security,
    ...operation,
  }
  const [method, path] = at.split(' ') as [string, string]
  const requestParams = path.includes('{') ? { ...makePathParams(path), ...params } : params
  paths[path] = {
    ...paths[path],
    [method.toLowerCase()]: {
      operationId: id ?? at.toLowerCase().replace(/\W+/g, '_'),
      tags: [tag],
      ...(requestParams && { requestParams }),
      ...(body && { requestBody: { required: true, content: describeJson(...body) } }),
      security: SECURITY_REQUIREMENTS[by],
      ...more,
      responses: {
        ...(answer && describeSuccess(...answer)),
        ...describeFailures(
          fails ?? [
            ...(by === 'signedIn' ? [401 as const] : []),
            ...(body ? ([400, 413] as const) : []),
          ],
          by,
          body ?? more.requestBody,
        ),
        ...responses,
      },
    },
  }
}

const IDEMPOTENCY_KEY = z.object({
  'Idempotency-Key': z
    .string()
    .min(1)
    .max(255)
    .optional()
    .describe(
      'A name of yours for this request. Within 24 hours the same one gets the first answer, and nothing is sent twice.',
    ),
})

/** Adds the header of an idempotent route. */
export const addIdempotencyHeader = (operation: Operation): Operation => ({
  ...operation,
  params: { ...operation.params, header: IDEMPOTENCY_KEY },
})

const ofBody = makeErrorDescriber(COMMON_REFUSALS)(
  'invalid_request',
  'request_too_large',
  'unsupported_media_type',
)
const ofCaller = makeErrorDescriber(COMMON_REFUSALS)('unauthorized', 'forbidden')

function describeFailures(fails: Fails, security: Security, body: unknown): Answers {
  if (!('map' in fails)) return fails
  if (isStatusList(fails)) return listFailureAnswers(...fails)
  return listErrorAnswers([
    ...(body ? ofBody : []),
    ...(security === 'none' ? [] : ofCaller),
    ...fails,
  ])
}

const isStatusList = (fails: readonly unknown[]): fails is readonly FailureStatus[] =>
  fails.every((one) => typeof one === 'number')

export const makeTextParams = (names: readonly string[], one: z.ZodType = z.string()) =>
  z.object(Object.fromEntries(names.map((name) => [name, one])))

const PATH_PARAMS: Readonly<Record<string, z.ZodType>> = {
  batch_id: z.string().describe('Out of the answer to the send.'),
  key: z.string().describe('The `key` of a listed backup.'),
  collection: z.string().describe('Name or id of the collection.'),
  record: z.string().describe('Id of the record.'),
  filename: z.string().describe('The name that the record has in one of its file fields.'),
}

function makePathParams(path: string): { path?: z.ZodObject } {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const params = names.map((name) => [name, PATH_PARAMS[name] ?? z.string()])
  return names.length > 0 ? { path: z.object(Object.fromEntries(params)) } : {}
}
export const SERVER_TAG = 'server'
