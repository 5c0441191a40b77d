import { type ExportFormat, PAGE_BYTES } from '../../engine/records/export-records.ts'
import { badRequest } from '../../platform/api-errors.ts'
import type { Ctx } from '../request-context.ts'
import { streamPieces } from './send-file.ts'

const TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
}

const isFormat = (text: string): text is ExportFormat => Object.hasOwn(TYPES, text)

/** The format that the request asks for. Throws 400. */
export function readExportFormat(c: Ctx): ExportFormat {
  const { format = 'csv' } = c.env.incoming.query
  if (!isFormat(format)) throw badRequest('format must be csv or ndjson.')
  return format
}

/** Sends the pieces of an export as fast as the client takes them. */
export async function sendExport(
  c: Ctx,
  name: string,
  format: ExportFormat,
  pieces: AsyncGenerator<string, void, void>,
): Promise<Response> {
  c.env.incoming.memory.hold(PAGE_BYTES)
  // the first piece is read before the answer begins: until then, an error can still set the status
  const first = await pieces.next()
  async function* encoded() {
    yield Buffer.from(first.value ?? '')
    for await (const piece of pieces) yield Buffer.from(piece)
  }
  return c.body(streamPieces(encoded()), 200, {
    'content-type': TYPES[format],
    'content-disposition': `attachment; filename="${name.replace(/\W/g, '_')}.${format}"`,
    'cache-control': 'no-store',
  })
}
