import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import type { TokenScope } from '../../engine/request/scopes.ts'
import { listOpenedRecords, viewOpenedRecord } from '../../gateway/base/list-opened-records.ts'
import type { McpCaller, McpServices } from './caller.ts'
import { explainToolError } from './explain-tool-error.ts'

const SENDS: TokenScope = 'messages:send'
const TEMPLATE_URI = 'pocketsms://templates/'

export function addTemplates(server: McpServer, services: McpServices, caller: McpCaller): void {
  // a key that may send templates may read them
  const mayRead = caller.may(SENDS)
  // replaces internal messages: the SDK sends the message of any thrown error to the client
  const inWords = <T>(work: () => Promise<T>) =>
    work().catch((error: unknown) => {
      throw new Error(explainToolError(services, 'templates', error))
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
  const metadata = {
    title: 'Message templates',
    description: 'A text with `{{variables}}`, to be sent.',
  }
  server.registerResource(
    'template',
    new ResourceTemplate(`${TEMPLATE_URI}{id}`, { list }),
    metadata,
    async (uri, { id }) => {
      if (!mayRead) throw new Error(`This API key lacks the scope ${SENDS}.`)
      const { store, extensions } = services
      const request = caller.reading({})
      const view = () =>
        viewOpenedRecord(store, extensions, caller.sender, 'sms_templates', request, String(id))
      const { name, body } = JSON.parse(await inWords(view))
      const text = JSON.stringify({ id, name, body })
      return { contents: [{ uri: uri.href, mimeType: 'application/json', text }] }
    },
  )
}

const MAX_LISTED = 500

async function listTemplates(
  services: McpServices,
  caller: McpCaller,
): Promise<Record<'id' | 'name' | 'body', string>[]> {
  const query = {
    sort: 'name',
    perPage: String(MAX_LISTED),
    skipTotal: '1',
    fields: 'id,name,body',
  }
  const { store, extensions } = services
  const request = caller.reading(query)
  const text = await listOpenedRecords(store, extensions, caller.sender, 'sms_templates', request)
  return JSON.parse(text).items
}
