import { ClientResponseError } from 'pocketbase'
import { pb } from '../../data/client.ts'

/** The progress of an export. */
export interface Exported {
  readonly rows: number
  readonly bytes: number
}

const QUOTE = 0x22
const LINE_FEED = 0x0a

/**
 * Reads the CSV of all messages that a filter finds, with these columns, and tells how far it is. Throws a
 * ClientResponseError when it is refused, and what `fetch` throws when it is stopped by `ended` or the
 * connection breaks.
 */
export async function readExport(
  filter: string,
  fields: readonly string[],
  tell: (exported: Exported) => void,
  ended: AbortSignal,
): Promise<Blob> {
  const expand = fields.some((field) => field.startsWith('expand.')) ? 'device,line,user,sent_by' : ''
  const query = new URLSearchParams({ filter, fields: fields.join(), expand })
  const url = pb.buildURL(`/api/collections/sms_messages/export?${query}`)
  const response = await fetch(url, { headers: { authorization: pb.authStore.token }, signal: ended })
  if (!response.ok || !response.body) {
    const answer = await response.json().catch(() => ({}))
    throw new ClientResponseError({ url, status: response.status, response: answer })
  }
  const count = rowCounter()
  let bytes = 0
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, out) {
      bytes += piece.length
      tell({ rows: count(piece), bytes })
      out.enqueue(piece)
    },
  })
  return new Response(response.body.pipeThrough(counted), { headers: { 'content-type': 'text/csv' } }).blob()
}

/** Counts complete lines without the head; ignores line breaks inside quotes. */
function rowCounter(): (piece: Uint8Array) => number {
  let lines = 0
  let isQuoted = false
  return (piece) => {
    for (const byte of piece) {
      if (byte === QUOTE) isQuoted = !isQuoted
      else if (byte === LINE_FEED && !isQuoted) lines++
    }
    return Math.max(0, lines - 1)
  }
}
