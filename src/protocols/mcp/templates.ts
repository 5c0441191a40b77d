import type { Scope } from '../../auth/tokens/scopes.ts'
import { notFound } from '../../errors.ts'
import { listRecords } from '../../records/read/list.ts'
import { viewRecord } from '../../records/read/view.ts'
import type { McpCaller, McpServices } from './caller.ts'

/** The scope that reading templates needs: who may send a template may read it. */
export const TEMPLATE_SCOPE: Scope = 'messages:send'

/** A message template as it is stored. */
export interface Template {
  readonly id: string
  readonly name: string
  readonly body: string
}

const MAX_LISTED = 500

const collectionOf = ({ store }: McpServices) => {
  const found = store.catalog.find('sms_templates')
  if (!found) throw notFound()
  return found
}

/** The user's templates by name, at most 500. */
export async function listTemplates(services: McpServices, caller: McpCaller): Promise<Template[]> {
  const query = { sort: 'name', perPage: String(MAX_LISTED), skipTotal: '1', fields: 'id,name,body' }
  const { store, extensions } = services
  const text = await listRecords(store, extensions, collectionOf(services), caller.reading(query))
  return JSON.parse(text).items
}

/** One template. Throws 404 when the user has none with this id. */
export async function readTemplate(services: McpServices, caller: McpCaller, id: string): Promise<Template> {
  const { store, extensions } = services
  const text = await viewRecord(store, extensions, collectionOf(services), caller.reading({}), id)
  const { name, body } = JSON.parse(text)
  return { id, name, body }
}
