import type { LogLine } from './request-log.ts'

/** `logs.maxDataSize` where it is 0. */
const DEFAULT_DATA_BYTES = 16 << 10
const MAX_MESSAGE_BYTES = 8_000

/**
 * A line with at most `maxDataSize` bytes of data: members as far as they fit, null for the one that does
 * not, and a mark. PocketBase: core/log_model.go, DBExport
 */
export function cutLine(line: LogLine, maxDataSize: number): LogLine {
  const limit = maxDataSize || DEFAULT_DATA_BYTES
  const message = Buffer.from(line.message).subarray(0, MAX_MESSAGE_BYTES).toString()
  const isShort = Buffer.byteLength(JSON.stringify(line.data)) <= limit
  return { ...line, message, data: isShort ? line.data : cutData(line.data, limit) }
}

function cutData(data: LogLine['data'], limit: number): LogLine['data'] {
  const kept: Record<string, unknown> = { __pb_truncated__: true }
  let end = 0
  for (const [key, value] of Object.entries(data)) {
    // the brace or comma before it, and the colon
    end += Buffer.byteLength(JSON.stringify(key)) + 2
    if (end > limit) break
    end += Buffer.byteLength(JSON.stringify(value))
    kept[key] = end > limit ? null : value
  }
  return kept
}
