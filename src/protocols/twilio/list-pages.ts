import { toObjects } from '../../platform/db/execute-statement.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries, writeUnindexed } from '../../platform/db/queries.ts'
import type { Parameters } from './parameters.ts'
import { makeSid, parseSid, type SidKind } from './sids.ts'
import { makeInvalidError, TwilioRefusal } from './twilio-errors.ts'

const DEFAULT_SIZE = 50
const MAX_SIZE = 1_000
const MAX_PAGE = 1_000_000

export const PAGE_PARAMETERS: readonly string[] = ['PageSize', 'Page', 'PageToken']

type PageRequest = ReturnType<typeof readPageRequest>

/**
 * Reads which page a request wants. The result's `from` is the record of the PageToken, if any: the page lies
 * directly before or after it. Throws TwilioRefusal 20001 for a wrong number, 21481 for a wrong token.
 */
export function readPageRequest(parameters: Parameters, kind: SidKind) {
  const size = readWholeNumber(parameters, 'PageSize', DEFAULT_SIZE, 1)
  const page = readWholeNumber(parameters, 'Page', 0, 0)
  if (page > MAX_PAGE) throw makeInvalidError(`Page must be at most ${MAX_PAGE}`)
  const token = parameters.get('PageToken') ?? ''
  const from = token === '' ? undefined : readToken(token, kind)
  return { parameters, kind, page, size: Math.min(size, MAX_SIZE), from }
}

function readWholeNumber(
  parameters: Parameters,
  name: string,
  absent: number,
  min: number,
): number {
  const text = parameters.get(name) ?? ''
  if (text === '') return absent
  if (/^\d{1,15}$/.test(text) && Number(text) >= min) return Number(text)
  throw makeInvalidError(`${name} must be a whole number from ${min}`)
}

function readToken(token: string, kind: SidKind) {
  const [, way, sid = ''] = /^P([AB])(.*)$/.exec(token) ?? []
  const id = parseSid(kind, sid)
  if (!way || !id) throw makeTokenError()
  return { id, isBack: way === 'B' }
}

export const makeTokenError = () => new TwilioRefusal(21481, 'The PageToken is not known')

/**
 * The fields of a page, with links. No other keys: clients would take an unknown one for the list of records.
 */
export function describePage(
  path: string,
  { parameters, kind, page, size, from }: PageRequest,
  {
    ids,
    hasOlder,
    hasNewer,
  }: { readonly ids: readonly string[]; hasOlder: boolean; hasNewer: boolean },
) {
  const isOurs = (name: string) => PAGE_PARAMETERS.includes(name)
  const filters = [...parameters].filter(([name, value]) => !isOurs(name) && value !== '')
  const uri = (number: number, token = '') => {
    const query = new URLSearchParams([
      ...filters,
      ['PageSize', String(size)],
      ['Page', String(number)],
    ])
    if (token) query.set('PageToken', token)
    return `${path}?${query}`
  }
  const start = page * size
  const [first, last] = [ids[0], ids.at(-1)]
  const token = from && `P${from.isBack ? 'B' : 'A'}${makeSid(kind, from.id)}`
  return {
    end: start + Math.max(ids.length - 1, 0),
    first_page_uri: uri(0),
    next_page_uri: hasOlder && last ? uri(page + 1, `PA${makeSid(kind, last)}`) : null,
    page,
    page_size: size,
    previous_page_uri:
      hasNewer && page > 0 && first ? uri(page - 1, `PB${makeSid(kind, first)}`) : null,
    start,
    uri: uri(page, token),
  }
}

/** Where the rows of a page are, with one more, which shows whether another page follows. */
export const placeRows = ({ page, size, from }: PageRequest) => ({
  from,
  limit: size + 1,
  offset: from ? 0 : page * size,
})

/** The rows of a page, newest first, and its fields. `found`: as `placeRows` asks for them. */
export function cutPage<T extends { readonly id: string }>(
  path: string,
  request: PageRequest,
  found: readonly T[],
) {
  const { page, size, from } = request
  const rows = found.slice(0, size)
  if (from?.isBack) rows.reverse()
  const isMore = found.length > size
  const [hasOlder, hasNewer] = from?.isBack ? [true, isMore] : [isMore, page > 0]
  return {
    rows,
    page: describePage(path, request, { ids: rows.map(({ id }) => id), hasOlder, hasNewer }),
  }
}

/**
 * Reads a page of rows, newest first. `list` is SQL that must end in its `where` conditions: more are
 * appended. Throws TwilioRefusal 21481 for an unknown page token.
 */
export async function readRows<T extends { readonly id: string }>(
  db: Db,
  path: string,
  [table, alias]: readonly [table: 'devices' | 'verify_services', alias: string],
  list: string,
  values: readonly unknown[],
  request: PageRequest,
) {
  const { from, limit, offset } = placeRows(request)
  const bound = [...values]
  const order = from?.isBack ? 'nulls first' : 'desc nulls last'
  const place = (value: unknown) => `$${bound.push(value)}`
  let after = ''
  if (from) {
    const position = await queries(db)
      .selectFrom(table)
      .select('_rowid')
      .where('id', '=', from.id)
      .where(writeUnindexed('user'), '=', String(values[0]))
      .executeTakeFirst()
    if (!position) throw makeTokenError()
    after = ` and ${alias}._rowid ${from.isBack ? '>' : '<'} ${place(position._rowid)}`
  }
  const text = `${list}${after} order by ${alias}._rowid ${order} limit ${place(limit)}::bigint offset ${place(offset)}::bigint`
  return cutPage(path, request, toObjects<T>(await db.shaped(text, bound)))
}
