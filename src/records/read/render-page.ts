import type { Store } from '../../collections/catalog.ts'
import type { RequestInfo } from '../../request/request.ts'
import { answerRecords } from '../expand/answer.ts'
import { pickEach } from '../render/pick.ts'
import type { ListQuery } from './compile-list.ts'
import type { FoundPage } from './find-page.ts'

/** The JSON of a page, with the query's `expand` and `fields`. Throws 400 for too many records or bytes. */
export async function renderPage(
  store: Store,
  { collection, page: { page, perPage } }: ListQuery,
  { rows, total }: FoundPage,
  request: RequestInfo,
): Promise<string> {
  const whole = await answerRecords(store, collection, rows, request)
  const { fields } = request.query
  const items = fields ? pickEach(whole, fields) : whole
  if (!items) return ''
  // strings put together by `+` are copied once, when the answer is sent; `join` would copy them here
  let text = '{"items":['
  let comma = ''
  for (const item of items) {
    text += comma + item
    comma = ','
  }
  const pages = total < 0 ? -1 : Math.ceil(total / perPage)
  return `${text}],"page":${page},"perPage":${perPage},"totalItems":${total},"totalPages":${pages}}`
}
