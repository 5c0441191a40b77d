import { z } from 'zod'
import { copyUpload, type Upload, type Uploads } from '../../engine/files/upload.ts'
import { lockFreshAuth } from '../../engine/records/check-auth-version.ts'
import { PasswordMemory } from '../../engine/records/hash-passwords.ts'
import { checkPicked, LargeAnswer } from '../../engine/request/answer-limit.ts'
import type { AuthRecord } from '../../engine/request/request.ts'
import { ApiError, badRequest, type ErrorData, forbidden } from '../../platform/api-errors.ts'
import { DatabaseUnavailable } from '../../platform/db/database-errors.ts'
import { OverLimit } from '../../platform/limits/limit-holder.ts'
import { allowByRules, type HasServices } from '../allow-callers.ts'
import { asRecordCaller } from '../attempt.ts'
import { readBodyOr } from '../body/read-body.ts'
import { makeRoutes } from '../make-routes.ts'
import { auditWrite } from '../middleware/audit-requests.ts'
import { limitOldPasswordChecks } from '../middleware/limit-password-work.ts'
import { checkRate } from '../middleware/limit-requests.ts'
import { SERVER_TAG } from '../openapi/describe-operations.ts'
import { API_ERROR, BATCH_ERROR } from '../openapi/failures.ts'
import { FIELDS_ONLY } from '../openapi/record-parameters.ts'
import { describeJson } from '../openapi/success-answers.ts'
import type { Ctx, Services } from '../request-context.ts'
import type { CallerServices, Routed } from '../route-limits.ts'
import { sendJson } from '../send-answer.ts'
import {
  findPartCollection,
  type Part,
  type PartAnswer,
  PartFault,
  readPartBody,
  runPart,
} from './batch-part.ts'
import { batchPasswords } from './batch-passwords.ts'
import {
  BATCH_ANSWER,
  BATCH_EXAMPLE,
  BATCH_REQUEST,
  type BatchRequest,
  readBatch,
  UNREADABLE,
} from './batch-request.ts'

const DEFAULT_BODY_BYTES = 128 << 20

const DEFAULT_TIMEOUT_S = 3

const FAILED = 'Batch transaction failed.'

function findMaxBatchBytes(_: Routed, { settings }: CallerServices): number {
  const { maxBodySize } = settings.current.batch
  return maxBodySize > 0 ? maxBodySize : DEFAULT_BODY_BYTES
}

/** `POST /api/batch`: several writes of records, all or none. PocketBase: apis/batch.go, contract 7.2 */
export const BATCH_ROUTES = makeRoutes(SERVER_TAG, {
  'POST /api/batch': {
    permission: allowByRules('agent'),
    maxBytes: findMaxBatchBytes,
    bound: { cost: 'parts', by: '50 parts and 3 s, unless the settings change this' },
    describe: {
      id: 'batch',
      summary: 'Write several records at once',
      description: 'Creates, updates and deletes records in one transaction: all or none.',
      params: FIELDS_ONLY,
      requestBody: {
        required: true,
        content: {
          ...describeJson(BATCH_REQUEST, BATCH_EXAMPLE),
          'multipart/form-data': { schema: z.looseObject({}) },
        },
      },
      answer: ['An answer for each request, in their order.', BATCH_ANSWER],
      fails: [413],
      responses: {
        400: {
          description: 'Nothing was written.',
          content: describeJson(z.union([BATCH_ERROR, API_ERROR])),
        },
      },
    },
    send: sendJson,
    run: answerBatch,
  },
})

/**
 * Writes the requests of a batch in one transaction. Only the first attempt counts them towards rate limits
 * and checks passwords.
 */
async function answerBatch({ services }: HasServices, c: Ctx): Promise<string> {
  const { enabled, maxRequests, timeout } = services.settings.current.batch
  if (!enabled || maxRequests <= 0) throw forbidden('Batch requests are not allowed.')
  const body = await readBodyOr(c, UNREADABLE)
  const requests = readBatch(body, maxRequests)
  const memories = requests.map(() => new PasswordMemory())
  const rated = new Set<BatchRequest>()
  const mayDelete = requests.some(({ method }) => method === 'DELETE')
  const timeoutMs = (timeout || DEFAULT_TIMEOUT_S) * 1000
  const write = () =>
    asRecordCaller(c, services, 'checked', async ({ caller, info, store, locksRecord }) => {
      const passwords = await batchPasswords(c, services, caller, requests, memories)
      const deadlineMs = Date.now() + timeoutMs
      return store.db.transaction(async (db) => {
        await db.limitStatements(timeoutMs)
        const inside = { db, catalog: store.catalog }
        // lock the caller: a concurrent takeover by the email's owner then waits, and deletes new keys, too
        if (requests.some((asked) => mayOpenPart(services, asked)))
          await lockFreshAuth(inside, caller)
        const answers: PartAnswer[] = []
        for (const [i, asked] of requests.entries()) {
          try {
            if (!rated.has(asked)) checkPartRate(c, services, caller, asked)
            rated.add(asked)
            const uploads = pickPartUploads(body.files, i)
            const alsoFor: Part['alsoFor'] = (request, collection) =>
              auditWrite(c, services, request, collection, uploads.keys())
            const { maxAccountFileBytes: maxFileBytes } = services.config
            const passwordWork = () => passwords[i]!
            const options = { uploads, maxFileBytes, passwordWork, locksRecord, mayDelete }
            const { extensions } = services
            const part = { store: inside, extensions, asked, outer: info, options, alsoFor }
            answers.push(await runPart(part))
          } catch (error) {
            throw Date.now() > deadlineMs ? badRequest(FAILED) : toPartError(i, error)
          }
          if (Date.now() > deadlineMs) throw badRequest(FAILED)
        }
        if (c.env.incoming.query.fields)
          checkPicked(answers.reduce((sum, { body }) => sum + body.length, 0))
        return answers
      })
    })
  const changes = requests.filter((asked) => mayChangeAuth(services, asked)).map(readPartBody)
  const answers = await limitOldPasswordChecks(c, services, changes, write)
  return `[${answers.map(({ body, status }) => `{"body":${body},"status":${status}}`).join(',')}]`
}

/** Throws 429 if a request of a batch exceeds the rate limits. */
const checkPartRate = (
  c: Ctx,
  services: Services,
  caller: AuthRecord | null,
  asked: BatchRequest,
) => checkRate(services, caller, c.env.incoming.ip, asked.method, asked.url.split('?')[0]!)

function mayOpenPart(services: Services, asked: BatchRequest): boolean {
  const collection = asked.method === 'DELETE' ? undefined : findPartCollection(services, asked)
  return collection !== undefined && services.extensions.get(collection.id)?.grantsAccess === true
}

const mayChangeAuth = (services: Services, asked: BatchRequest) =>
  (asked.method === 'PATCH' || asked.method === 'PUT') &&
  findPartCollection(services, asked)?.type === 'auth'

function pickPartUploads(files: Uploads, i: number): Uploads {
  const prefixes = [`requests.${i}.`, `requests[${i}].`]
  const found = new Map<string, Upload[]>()
  for (const [name, sent] of files) {
    const prefix = prefixes.find((one) => name.startsWith(one))
    if (prefix === undefined) continue
    const key = name.slice(prefix.length)
    found.set(key, [...(found.get(key) ?? []), ...sent.map(copyUpload)])
  }
  return found
}

function toPartError(i: number, thrown: unknown): unknown {
  const error = thrown instanceof PartFault ? new ApiError(i === 0 ? 400 : 500) : thrown
  const isOfBatch = [DatabaseUnavailable, LargeAnswer, OverLimit].some(
    (type) => error instanceof type,
  )
  if (!(error instanceof ApiError) || isOfBatch) return error
  const { data, message, status } = error
  const failure = {
    code: 'batch_request_failed',
    message: 'Batch request failed.',
    response: { data, message, status },
  }
  return badRequest(FAILED, { requests: { [i]: failure as unknown as ErrorData } })
}
