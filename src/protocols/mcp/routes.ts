import {
  createMcpHandler,
  McpServer,
  ResourceTemplate,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server'
import { Hono } from 'hono'
import { z } from 'zod'
import { identifyKey, type KeyHolder } from '../../auth/identify-key.ts'
import { answerableFault } from '../../db/errors.ts'
import { ApiError, GatewayError, notFound, RetryLater } from '../../errors.ts'
import { readJson } from '../../http/body/raw-body.ts'
import { type Ctx, type Env, type Protocol, type Services, SMALL_BYTES } from '../../http/context.ts'
import { gatewayForm } from '../../http/middleware/failure.ts'
import { gate } from '../../http/middleware/gate.ts'
import { retry, withCatalog } from '../../http/retry.ts'
import { clientIp, countAnswer, storeOf } from '../../http/server/store-of.ts'
import { orInvalid } from '../../openapi/answers.ts'
import { chapter, json, KEY_HOLDER, refusals, SENDING } from '../../openapi/operations.ts'
import { listRecords, viewRecord } from '../../records/list.ts'
import { StaleAuth } from '../../records/record-sql.ts'
import { AnswerMeter } from '../../request/answer-meter.ts'
import { NO_REQUEST } from '../../request/request.ts'
import { hasScope, type Scope } from '../../request/scopes.ts'
import { checkShape } from '../../sms/send/check-shape.ts'
import { may } from '../../sms/send/judge.ts'
import { gatewayRefusal, invalid } from '../../sms/send/refusals.ts'
import { senderOfKey } from '../../sms/send/sender.ts'
import { FIND_TOOLS, type McpCaller, type McpServices, SEND_TOOLS, type Tool } from './tools.ts'

/** Enough for 1,000 recipients and the values of a template's variables. */
const MAX_BODY_BYTES = 1 << 20
/** Maximum calls in one request. Only MCP's revision of March 2025 allows more than one. */
const MAX_BATCH = 10
/** Longer than any tool takes. Without it, a batch that cancels one of its own calls would never end. */
const MAX_ANSWER_MS = 60_000
/** Maximum bytes of records that one request reads: the answer has each twice, as text and as JSON. */
const MAX_READ_BYTES = 4 << 20
const RETRY_SECONDS = 5
const SENDS: Scope = 'messages:send'

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

const NOT_A_CALL = { jsonrpc: '2.0', error: { code: -32_600, message: 'Invalid Request' }, id: null }

const mcpPaths = () =>
  chapter(SENDING, KEY_HOLDER, {
    'POST /mcp': {
      id: 'callMcp',
      summary: 'Call a tool as an assistant',
      description:
        'The Model Context Protocol by streamable HTTP without sessions. Its clients come with their libraries; see the page "For assistants".',
      body: [CALL],
      // JSON that is not a call gets an error of JSON-RPC
      fails: orInvalid(refusals('unauthorized', 'invalid_request', 'request_too_large'), RESULT, {
        not_a_call: { value: NOT_A_CALL },
      }),
      responses: {
        200: {
          description: 'The result of a call, alone or as an event.',
          content: { ...json(RESULT), 'text/event-stream': { schema: z.string() } },
        },
        202: { description: 'A notification was taken.' },
      },
    },
  })

/** The Model Context Protocol (MCP), for AI assistants with an API key. */
export const MCP: Protocol = {
  group: 'mcp',
  roots: ['/mcp'],
  errorForm: gatewayForm,
  routes: mcpRoutes,
  paths: mcpPaths,
}

function mcpRoutes(services: Services): Hono<Env> {
  const handle = async (c: Ctx) => {
    const holder = await requireKey(c, services)
    if (c.req.method === 'POST') return respond(c, services, holder)
    // only POST: there are no sessions to open with GET or to end with DELETE
    c.header('allow', 'POST')
    return c.json({ jsonrpc: '2.0', error: { code: -32_000, message: 'Method not allowed.' }, id: null }, 405)
  }
  return new Hono<Env>().use('/mcp', gate(services)).post('/mcp', handle).all('/mcp', handle)
}

/** Collects the whole answer before sending it, to reserve memory for it until the client has read it. */
async function respond(c: Ctx, services: Services, holder: KeyHolder): Promise<Response> {
  const json = await readJson(c, MAX_BODY_BYTES, JSON.parse)
  if (Array.isArray(json) && json.length > MAX_BATCH) throw invalid(`A batch has at most ${MAX_BATCH} calls`)
  const signal = endOf(c)
  const request = new Request(c.req.url, { method: 'POST', headers: c.req.header(), signal })
  c.set('asker', holder.auth)
  try {
    const { sending, log } = services
    const ofCaller = { ...sending, log, store: storeOf(c, services, holder.auth) }
    const response = await answerMcp(ofCaller, callerOf(c, services, holder), request, json)
    const bytes = Buffer.from(await response.arrayBuffer())
    if (bytes.length > SMALL_BYTES) countAnswer(c, bytes.length)
    return new Response(bytes, response)
  } catch (error) {
    throw signal.aborted ? new RetryLater(503, RETRY_SECONDS, 'The answer took too long') : error
  }
}

/** A signal that aborts when the client has hung up, or after MAX_ANSWER_MS. */
function endOf({ env: { outgoing } }: Ctx): AbortSignal {
  const ending = new AbortController()
  const end = () => ending.abort()
  const timer = setTimeout(end, MAX_ANSWER_MS)
  outgoing.once('close', () => {
    clearTimeout(timer)
    end()
  })
  return ending.signal
}

/** The holder of the API key in `X-API-Key` or as bearer token. Throws 401 for a missing or invalid key. */
async function requireKey(c: Ctx, services: Services): Promise<KeyHolder> {
  const { authorization = '', 'x-api-key': header } = c.env.incoming.headers
  const key = String(header ?? authorization.replace(/^Bearer +/i, ''))
  const { store } = services
  const ip = clientIp(c, services)
  const holder = await withCatalog(store, () => identifyKey(store.signIn, { key, ip }))
  if (holder) return holder
  c.header('www-authenticate', 'Bearer realm="pocketsms"')
  throw gatewayRefusal('unauthorized')
}

function callerOf(c: Ctx, services: Services, holder: KeyHolder): McpCaller {
  // the first attempt uses the key that this request has read, a second one reads the key again
  const identifySender = async (cached: boolean) => {
    const sender = senderOfKey(cached ? holder : await requireKey(c, services))
    may(sender, 'send')
    return sender
  }
  const meter = new AnswerMeter(undefined, 0, MAX_READ_BYTES)
  return {
    sender: senderOfKey(holder),
    may: (scope) => hasScope(holder.scopes, scope),
    asSender: (work) => retry(services.store, identifySender, work, { startsCached: true }),
    reading: (query) => ({ ...NO_REQUEST, auth: holder.auth, meter, query }),
  }
}

const TOOLS: readonly (readonly [tool: Tool, inputSchema: StandardSchemaWithJSON])[] = [
  ...SEND_TOOLS,
  ...FIND_TOOLS,
].map((tool) => [tool, schemaOf(tool)])
const INSTRUCTIONS =
  'pocketsms sends and receives text messages through the phones of its user. Before a send, show the person the recipients and the text, and how many segments it takes (preview_message).'
const INFO = { name: 'pocketsms', title: 'pocketsms', version: '1.0.0' }
const TEMPLATE_URI = 'pocketsms://templates/'

/** The message of an error for the caller; a general one, with a log entry, for an internal error. */
function textOf({ log }: McpServices, name: string, thrown: unknown): string {
  const error = answerableFault(thrown, true)
  if (error instanceof StaleAuth) return 'The account was changed meanwhile. Call again.'
  if (error instanceof GatewayError) return error.message
  if (error instanceof ApiError)
    return error.status < 500 ? error.message : `${error.message} Try again later.`
  log.error({ tool: name, err: error }, 'an MCP tool failed')
  return 'Something went wrong while processing the request.'
}

const contentOf = (text: string) => [{ type: 'text' as const, text }]

/** A tool's input schema. It stops at the first fault: reporting 200,000 faults would take 13 MB and 5 s. */
function schemaOf({ input }: Tool): StandardSchemaWithJSON {
  const { jsonSchema } = input['~standard']
  let described: Record<string, unknown> | undefined
  return {
    '~standard': {
      version: 1,
      vendor: 'pocketsms',
      validate: (value) => check(input, value),
      jsonSchema: {
        ...jsonSchema,
        input(options) {
          described ??= jsonSchema.input(options)
          return described
        },
      },
    },
  }
}

function check(input: Tool['input'], value: unknown) {
  try {
    return { value: checkShape(input, value) }
  } catch (error) {
    if (error instanceof GatewayError) return { issues: [{ message: error.message }] }
    throw error
  }
}

async function runTool(services: McpServices, caller: McpCaller, tool: Tool, input: unknown) {
  const failed = (text: string) => ({ content: contentOf(text), isError: true })
  if (!caller.may(tool.scope)) return failed(`This API key lacks the scope ${tool.scope}.`)
  try {
    const result = await tool.run(services, caller, input as never)
    return { content: contentOf(JSON.stringify(result)), structuredContent: { ...result } }
  } catch (error) {
    return failed(textOf(services, tool.name, error))
  }
}

function addTools(server: McpServer, services: McpServices, caller: McpCaller): void {
  for (const [tool, inputSchema] of TOOLS) {
    const { name, title, description } = tool
    const isRead = tool.kind === 'read'
    const annotations = { title, readOnlyHint: isRead, destructiveHint: !isRead, openWorldHint: !isRead }
    server.registerTool(name, { title, description, inputSchema, annotations }, (input) =>
      runTool(services, caller, tool, input),
    )
  }
}

function addTemplates(server: McpServer, services: McpServices, caller: McpCaller): void {
  // a key that may send templates may read them
  const mayRead = caller.may(SENDS)
  // replaces internal messages: the SDK sends the message of any thrown error to the client
  const inWords = <T>(work: () => Promise<T>) =>
    work().catch((error: unknown) => {
      throw new Error(textOf(services, 'templates', error))
    })
  const list = async () => {
    const templates = mayRead ? await inWords(() => listTemplates(services, caller)) : []
    return {
      resources: templates.map(({ id, name }) => ({
        uri: TEMPLATE_URI + id,
        name,
        mimeType: 'application/json',
      })),
    }
  }
  const metadata = { title: 'Message templates', description: 'A text with `{{variables}}`, to be sent.' }
  server.registerResource(
    'template',
    new ResourceTemplate(`${TEMPLATE_URI}{id}`, { list }),
    metadata,
    async (uri, { id }) => {
      if (!mayRead) throw new Error(`This API key lacks the scope ${SENDS}.`)
      const { store, extensions } = services
      const view = () => viewRecord(store, extensions, collectionOf(services), caller.reading({}), String(id))
      const { name, body } = JSON.parse(await inWords(view))
      const text = JSON.stringify({ id, name, body })
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text }] }
    },
  )
}

/** Answers by streamable HTTP without sessions (Model Context Protocol, revisions of 2025 and 2026-07-28). */
export function answerMcp(services: McpServices, caller: McpCaller, request: Request, json: unknown) {
  const handler = createMcpHandler(
    () => {
      const server = new McpServer(INFO, { instructions: INSTRUCTIONS })
      addTools(server, services, caller)
      addTemplates(server, services, caller)
      return server
    },
    // tools and templates send no notifications, so no stream stays open
    { maxSubscriptions: 0, onerror: (error) => services.log.debug({ err: error }, 'an MCP request failed') },
  )
  return handler.fetch(request, { parsedBody: json })
}

const MAX_LISTED = 500

const collectionOf = ({ store }: McpServices) => {
  const found = store.catalog.find('sms_templates')
  if (!found) throw notFound()
  return found
}

async function listTemplates(
  services: McpServices,
  caller: McpCaller,
): Promise<Record<'id' | 'name' | 'body', string>[]> {
  const query = { sort: 'name', perPage: String(MAX_LISTED), skipTotal: '1', fields: 'id,name,body' }
  const { store, extensions } = services
  const text = await listRecords(store, extensions, collectionOf(services), caller.reading(query))
  return JSON.parse(text).items
}
