import type { IncomingHttpHeaders } from 'node:http'

const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** Seconds since 1970 of a date in a header; undefined if it is none. */
function readDate(text: string | undefined): number | undefined {
  if (text === undefined || !HTTP_DATE.test(text)) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time / 1000
}

const seconds = (date: Date) => Math.floor(date.getTime() / 1000)

/** Any file matches a star, and none of ours has a tag. */
const isStar = (match: string) => match.trim() === '*'

/** 412 or 304 for a file with a date and no tag, else undefined. The package fresh lacks 412. RFC 7232 */
export function judgeConditions(headers: IncomingHttpHeaders, modified: Date): 412 | 304 | undefined {
  const match = headers['if-match']
  const unmodified = readDate(headers['if-unmodified-since'])
  const isTooNew = unmodified !== undefined && unmodified < seconds(modified)
  if (match ? !isStar(match) : isTooNew) return 412
  const none = headers['if-none-match']
  if (none) return isStar(none) ? 304 : undefined
  const since = readDate(headers['if-modified-since'])
  return since !== undefined && seconds(modified) <= since ? 304 : undefined
}

/** The Range header, if its If-Range holds; '' if not. Go: net/http, checkIfRange */
export function rangeHeader(headers: IncomingHttpHeaders, modified: Date): string {
  const condition = headers['if-range']
  if (condition && readDate(String(condition)) !== seconds(modified)) return ''
  return headers.range ?? ''
}
