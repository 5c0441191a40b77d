import {
  createMcpHandler,
  McpServer,
  ResourceTemplate,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server'
import type { Scope } from '../../auth/tokens/scopes.ts'
import { answerableFault } from '../../db/errors.ts'
import { ApiError, GatewayError, notFound } from '../../errors.ts'
import { StaleAuth } from '../../records/fresh-auth.ts'
import { listRecords } from '../../records/read/list.ts'
import { viewRecord } from '../../records/read/view.ts'
import { checkShape } from '../../sms/send/shape.ts'
import type { McpCaller, McpServices, Tool } from './tool.ts'
import { FIND_TOOLS } from './tools/find-tools.ts'
import { SEND_TOOLS } from './tools/send-tools.ts'

const TOOLS: readonly (readonly [tool: Tool, inputSchema: StandardSchemaWithJSON])[] = [
  ...SEND_TOOLS,
  ...FIND_TOOLS,
].map((tool) => [tool, schemaOf(tool)])
const INSTRUCTIONS =
  'pocketsms sends and receives text messages through the phones of its user. Before a send, show the person the recipients and the text, and how many segments it takes (preview_message).'
const INFO = { name: 'pocketsms', title: 'pocketsms', version: '1.0.0' }
const TEMPLATE_URI = 'pocketsms://templates/'

type Content = { readonly type: 'text'; readonly text: string }
type ToolResult = { content: Content[]; structuredContent?: Record<string, unknown>; isError?: true }

/** The message of a refusal, for an assistant to act on; undefined for an internal error. */
function refusalText(error: unknown): string | undefined {
  if (error instanceof StaleAuth) return 'The account was changed meanwhile. Call again.'
  if (error instanceof GatewayError) return error.message
  if (error instanceof ApiError && error.status < 500) return error.message
  if (error instanceof ApiError) return `${error.message} Try again later.`
  return undefined
}

/** The text of an error for the caller. An internal one is only logged. */
function textOf({ log }: McpServices, name: string, thrown: unknown): string {
  const error = answerableFault(thrown, true)
  const text = refusalText(error)
  if (text === undefined) log.error({ tool: name, err: error }, 'an MCP tool failed')
  return text ?? 'Something went wrong while processing the request.'
}

const failed = (text: string): ToolResult => ({ content: [{ type: 'text', text }], isError: true })

/** A tool's input schema. Its check stops at the first fault: 200,000 faults would take 13 MB and 5 s. */
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

async function runTool(
  services: McpServices,
  caller: McpCaller,
  tool: Tool,
  input: object,
): Promise<ToolResult> {
  if (!caller.may(tool.scope)) return failed(`This API key lacks the scope ${tool.scope}.`)
  try {
    const result = await tool.run(services, caller, input as never)
    return {
      content: [{ type: 'text', text: JSON.stringify(result) }],
      structuredContent: result as Record<string, unknown>,
    }
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
      runTool(services, caller, tool, input as object),
    )
  }
}

function addTemplates(server: McpServer, services: McpServices, caller: McpCaller): void {
  const mayRead = caller.may(TEMPLATE_SCOPE)
  // the SDK sends the message of any thrown error to the client
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
      if (!mayRead) throw new Error(`This API key lacks the scope ${TEMPLATE_SCOPE}.`)
      const { store, extensions } = services
      const view = () => viewRecord(store, extensions, collectionOf(services), caller.reading({}), String(id))
      const { name, body } = JSON.parse(await inWords(view))
      const text = JSON.stringify({ id, name, body })
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text }] }
    },
  )
}

/** Answers a request by streamable HTTP without sessions (Model Context Protocol of 2025 and 2026-07-28). */
export function answerMcp(services: McpServices, caller: McpCaller, request: Request, json: unknown) {
  const handler = createMcpHandler(
    () => {
      const server = new McpServer(INFO, { instructions: INSTRUCTIONS })
      addTools(server, services, caller)
      addTemplates(server, services, caller)
      return server
    },
    // tools and templates never notify: no stream stays open
    { maxSubscriptions: 0, onerror: (error) => services.log.debug({ err: error }, 'an MCP request failed') },
  )
  return handler.fetch(request, { parsedBody: json })
}

/** The scope to read templates: a key that may send them may read them. */
const TEMPLATE_SCOPE: Scope = 'messages:send'

type Template = Readonly<Record<'id' | 'name' | 'body', string>>

const MAX_LISTED = 500

const collectionOf = ({ store }: McpServices) => {
  const found = store.catalog.find('sms_templates')
  if (!found) throw notFound()
  return found
}

async function listTemplates(services: McpServices, caller: McpCaller): Promise<Template[]> {
  const query = { sort: 'name', perPage: String(MAX_LISTED), skipTotal: '1', fields: 'id,name,body' }
  const { store, extensions } = services
  const text = await listRecords(store, extensions, collectionOf(services), caller.reading(query))
  return JSON.parse(text).items
}
