import { z } from 'zod'
import type { KeyHolder } from '../../engine/auth/identify-key.ts'
import { AnswerMeter } from '../../engine/request/answer-limit.ts'
import { hasScope } from '../../engine/request/scopes.ts'
import { describeRefusals } from '../../gateway/base/describe-gateway-errors.ts'
import { gatewayRefusal } from '../../gateway/base/gateway-errors.ts'
import { makeKeySender } from '../../gateway/base/make-sender.ts'
import type { HasServices, Permission } from '../../http/allow-callers.ts'
import { asCaller } from '../../http/attempt.ts'
import { readJsonBody } from '../../http/body/raw-body.ts'
import { byKey, makeKeyIdentity } from '../../http/identify-caller.ts'
import { SMALL_BYTES } from '../../http/limit-request-memory.ts'
import { makeRoutes, makeUndescribedRow } from '../../http/make-routes.ts'
import { sendGatewayError } from '../../http/middleware/answer-errors.ts'
import { listErrorAnswers } from '../../http/openapi/gateway-error-answers.ts'
import { addSchemaTo400 } from '../../http/openapi/invalid-answers.ts'
import { describeJson } from '../../http/openapi/success-answers.ts'
import type { Ctx } from '../../http/request-context.ts'
import { tryLater } from '../../platform/api-errors.ts'
import { invalidRequest } from '../../platform/common-refusals.ts'
import type { GatewayServices, Protocol } from '../gateway-services.ts'
import { asKeyHolder } from '../send-by-key.ts'
import type { McpCaller } from './caller.ts'

/** Enough for 1,000 recipients and the values of a template's variables. */
const MAX_BODY_BYTES = 1 << 20
/** Maximum calls in one request. Only MCP's revision of March 2025 allows more than one. */
const MAX_BATCH = 10
/** Longer than any tool takes. Without it, a batch that cancels one of its own calls would never end. */
const MAX_ANSWER_MS = 60_000
/** Maximum bytes of records that one request reads: the answer has each twice, as text and as JSON. */
const MAX_READ_BYTES = 4 << 20
const RETRY_SECONDS = 5

const CALL = z
  .looseObject({
    jsonrpc: z.literal('2.0'),
    method: z.string(),
    id: z.union([z.string(), z.int()]).optional(),
  })
  .meta({ id: 'McpCall', description: 'A call of JSON-RPC 2.0, or a notification without `id`.' })
const RESULT = z
  .looseObject({ jsonrpc: z.literal('2.0') })
  .meta({ id: 'McpResult', description: '`result` or `error` of JSON-RPC 2.0.' })

const UNKNOWN_ENCODING = z.object({
  error: z.literal('unsupported_media_type'),
  message: z.string(),
})

const NOT_A_CALL = {
  jsonrpc: '2.0',
  error: { code: -32_600, message: 'Invalid Request' },
  id: null,
}

const allowKey: Permission<
  HasServices<GatewayServices> & { readonly holder: KeyHolder },
  GatewayServices
> = {
  scopes: [],
  security: 'apiKey',
  credentials: byKey(({ authorization = '', 'x-api-key': header }) => ({
    key: String(header ?? authorization.replace(/^Bearer +/i, '')),
  })),
  withCaller: async (c, services, work) =>
    work({ services, holder: await requireKey(c, services) }),
}

const ROUTES = makeRoutes('sending', {
  'POST /mcp': {
    permission: allowKey,
    maxBytes: MAX_BODY_BYTES,
    bound: {
      cost: 'the calls of its tools',
      by: 'the bounds of the list of records, a send and a preview; 10 calls a request',
    },
    describe: {
      id: 'callMcp',
      summary: 'Call a tool as an assistant',
      description:
        'The Model Context Protocol by streamable HTTP without sessions. Its clients come with their libraries; see the page "For assistants".',
      body: [CALL],
      // JSON that is not a call gets an error of JSON-RPC
      fails: addSchemaTo400(
        listErrorAnswers(describeRefusals('unauthorized', 'invalid_request', 'request_too_large')),
        RESULT,
        { not_a_call: { value: NOT_A_CALL } },
      ),
      responses: {
        200: {
          description: 'The result of a call, alone or as an event.',
          content: { ...describeJson(RESULT), 'text/event-stream': { schema: z.string() } },
        },
        202: { description: 'A notification was taken.' },
        406: {
          description: '`Accept` lacks `application/json` or `text/event-stream`.',
          content: describeJson(RESULT),
        },
        415: {
          description: 'The body is not JSON, or its Content-Encoding is not known.',
          content: describeJson(z.union([RESULT, UNKNOWN_ENCODING])),
        },
      },
    },
    run: ({ services, holder }, c) => answerMcpRequest(c, services, holder),
  },
  // there are no sessions to open with GET or to end with DELETE
  'ALL /mcp': makeUndescribedRow(allowKey, 'no rows', (_, c) => {
    c.header('allow', 'POST')
    return c.json(
      { jsonrpc: '2.0', error: { code: -32_000, message: 'Method not allowed.' }, id: null },
      405,
    )
  }),
})

/** The Model Context Protocol (MCP), for AI assistants with an API key. */
export const MCP: Protocol = {
  group: 'mcp',
  roots: ['/mcp'],
  errorForm: sendGatewayError,
  rows: ROUTES,
}

/** Collects the whole answer before sending it, to reserve memory for it until the client has read it. */
async function answerMcpRequest(
  c: Ctx,
  services: GatewayServices,
  holder: KeyHolder,
): Promise<Response> {
  const json = await readJsonBody(c, JSON.parse)
  if (Array.isArray(json) && json.length > MAX_BATCH)
    throw invalidRequest(`A batch has at most ${MAX_BATCH} calls`)
  const signal = makeEndSignal(c)
  const request = new Request(c.req.url, { method: 'POST', headers: c.req.header(), signal })
  try {
    const { sending, log } = services
    const ofCaller = { ...sending, log, store: c.env.incoming.openStore(holder.auth) }
    const { answerMcp } = await import('./server.ts')
    const response = await answerMcp(ofCaller, makeMcpCaller(c, services, holder), request, json)
    const bytes = Buffer.from(await response.arrayBuffer())
    if (bytes.length > SMALL_BYTES) c.env.incoming.countAnswer(bytes.length)
    return new Response(bytes, response)
  } catch (error) {
    throw signal.aborted ? tryLater(RETRY_SECONDS, 'The answer took too long') : error
  }
}

/** A signal that aborts when the client has hung up before its answer, or after MAX_ANSWER_MS. */
function makeEndSignal({ env: { outgoing } }: Ctx): AbortSignal {
  const ending = new AbortController()
  const end = () => ending.abort()
  const timer = setTimeout(end, MAX_ANSWER_MS)
  outgoing.once('close', () => {
    clearTimeout(timer)
    // an abort makes an error with a stack trace, which takes longer than looking the key up
    if (!outgoing.writableFinished) end()
  })
  return ending.signal
}

/** The holder of the API key in `X-API-Key` or as bearer token. Throws 401 for a missing or invalid key. */
async function requireKey(c: Ctx, services: GatewayServices): Promise<KeyHolder> {
  const found = await asCaller(c, services, 'checked', (attempt) => attempt.found)
  if (found?.key) return found.key
  // RFC 6750, section 3.1: no error for a request without a key
  const { authorization = '', 'x-api-key': header = '' } = c.env.incoming.headers
  const error = `${authorization}${header}` === '' ? '' : ', error="invalid_token"'
  c.header('www-authenticate', `Bearer realm="pocketsms"${error}`)
  throw gatewayRefusal('unauthorized')
}

function makeMcpCaller(c: Ctx, services: GatewayServices, holder: KeyHolder): McpCaller {
  const asker = {
    // the first attempt uses the key that this request has read, a second one reads the key again
    identify: async (isCached: boolean) =>
      makeKeyIdentity(isCached ? holder : await requireKey(c, services)),
  }
  const meter = new AnswerMeter(undefined, 0, MAX_READ_BYTES)
  return {
    sender: makeKeySender(holder),
    get memory() {
      return c.env.incoming.memory
    },
    may: (scope) => hasScope(holder.scopes, scope),
    asSender: (work) => asKeyHolder(services, asker, work),
    reading: (query) => ({ auth: holder.auth, meter, query }),
  }
}
