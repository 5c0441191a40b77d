import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ApiError } from '../../platform/api-errors.ts'

/** Answers to Node's parser errors, by error code. All other codes are answered with INVALID. */
const FAULTS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The URL and headers of the request are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions of the request are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long.'],
}
const INVALID = [400, 'The request is not valid HTTP.'] as const

/** Answers malformed HTTP with PocketBase's error JSON and closes. If an answer has begun, only closes. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Node's internal field: the connection's answer
  const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse }
  if (!socket.writable || error.code === 'ECONNRESET' || answer?.headersSent)
    return void socket.destroy()
  socket.end(writeRawAnswer(...(FAULTS[error.code ?? ''] ?? INVALID)))
}

/** Answers 408 and closes the connection, even if the client is still sending. */
export function answerLateBody(socket: Socket): void {
  answerClientError(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
  socket.destroySoon()
}

function writeRawAnswer(status: number, sentence: string): string {
  const { data, message } = new ApiError(status, sentence)
  const body = JSON.stringify({ data, message, status })
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}
