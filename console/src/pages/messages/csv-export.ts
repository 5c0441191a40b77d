import { openExport } from '../../data/files/open-export.ts'

export interface Exported {
  readonly rows: number
  readonly bytes: number
}

const QUOTE = 0x22
const LINE_FEED = 0x0a

/**
 * Downloads the CSV of all messages that a filter finds and reports progress to `tell`. Throws a
 * ClientResponseError if the server refuses, or the error of `fetch` if `ended` is aborted or the connection
 * breaks.
 */
export async function readExport(
  filter: string,
  fields: readonly string[],
  tell: (exported: Exported) => void,
  ended: AbortSignal,
): Promise<Blob> {
  const expand = fields.some((field) => field.startsWith('expand.'))
    ? 'device,line,user,sent_by'
    : ''
  const query = { filter, fields: fields.join(), expand }
  const response = await openExport('/api/collections/sms_messages/export', query, ended)
  const count = makeRowCounter()
  let bytes = 0
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, out) {
      bytes += piece.length
      tell({ rows: count(piece), bytes })
      out.enqueue(piece)
    },
  })
  return new Response(response.body!.pipeThrough(counted), {
    headers: { 'content-type': 'text/csv' },
  }).blob()
}

/**
 * Returns a function that counts the complete rows in all pieces so far, without the header. Ignores line
 * breaks inside quotes.
 */
function makeRowCounter(): (piece: Uint8Array) => number {
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
