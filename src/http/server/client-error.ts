import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { ApiError } from '../../errors.ts'

/** Statuses for Node's parser errors by code; 400 for all others. */
const STATUSES: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
}

const MESSAGES: Readonly<Record<number, string>> = {
  400: 'The request is not valid HTTP.',
  408: 'The request took too long.',
  413: 'The chunk extensions of the request are too large.',
  431: 'The URL and headers of the request are too large.',
}

/** Answers malformed HTTP with PocketBase's error JSON and closes; during another answer only closes. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  const status = STATUSES[error.code ?? ''] ?? 400
  // the field by which Node itself decides this
  const { _httpMessage: answer } = socket as { _httpMessage?: ServerResponse }
  if (!socket.writable || error.code === 'ECONNRESET' || answer?.headersSent) return void socket.destroy()
  socket.end(answerOf(status))
}

/** Answers 408 and closes, whatever the client still sends. */
export function answerLateBody(socket: Socket): void {
  answerClientError(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket)
  socket.destroySoon()
}

function answerOf(status: number): string {
  const { data, message } = new ApiError(status, MESSAGES[status])
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
