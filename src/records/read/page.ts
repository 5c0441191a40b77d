import { badRequest } from '../../errors.ts'

const DEFAULT_PER_PAGE = 30
/** PocketBase's largest page. */
export const MAX_PER_PAGE = 1000

/** Which part of a list is asked for. */
export interface Page {
  /** From 1. As large as PocketBase's integers may be. */
  readonly page: bigint
  readonly perPage: number
  /** Rows before the page; 0 where PocketBase's 64 bits run over. */
  readonly offset: bigint
  readonly skipTotal: boolean
}

const INTEGER = /^[-+]?\d+$/
const BOOLS = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((word) => [word, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((word) => [word, false] as const),
])

/**
 * Reads `page`, `perPage` and `skipTotal`. What is too small becomes the default, what is too large
 * `maxPerPage`. Throws 400 for what is no integer or Go bool. PocketBase: tools/search/provider.go, contract
 * 3.1
 */
export function readPage(query: Readonly<Record<string, string>>, maxPerPage = MAX_PER_PAGE): Page {
  const skipTotal = query.skipTotal ? BOOLS.get(query.skipTotal) : false
  if (skipTotal === undefined) throw badRequest()
  const page = readInteger(query.page)
  const perPage = readInteger(query.perPage)
  return pageOf(
    page > 0n ? page : 1n,
    perPage > 0n ? perPage : BigInt(DEFAULT_PER_PAGE),
    maxPerPage,
    skipTotal,
  )
}

function pageOf(page: bigint, asked: bigint, maxPerPage: number, skipTotal: boolean): Page {
  const perPage = asked > BigInt(maxPerPage) ? maxPerPage : Number(asked)
  const offset = BigInt.asIntN(64, BigInt(perPage) * (page - 1n))
  return { page, perPage, offset: offset > 0n ? offset : 0n, skipTotal }
}

/** Go's 64 bit integers; 0 when absent. */
function readInteger(text = ''): bigint {
  if (text === '') return 0n
  if (!INTEGER.test(text)) throw badRequest()
  const value = BigInt(text.replace('+', ''))
  if (BigInt.asIntN(64, value) !== value) throw badRequest()
  return value
}
