import type { Ctx, Services } from '../../http/context.ts'
import type { TableRoute } from '../route-table.ts'
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
