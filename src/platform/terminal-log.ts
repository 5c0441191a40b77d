import { Writable } from 'node:stream'

const LEVELS: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warning',
  50: 'error',
  60: 'fatal',
}

/** Turns pino's JSON lines into lines for people, without successful requests. */
export function makeTerminalLog(print: (text: string) => void): Writable {
  return new Writable({
    decodeStrings: false,
    write(json: string, _, done) {
      const text = formatLogLine(JSON.parse(json))
      if (text !== undefined) print(`${text}\n`)
      done()
    },
  })
}

type Line = Readonly<Record<string, unknown>>

function formatLogLine({ level, time, worker, msg, err, ...rest }: Line): string | undefined {
  const place = worker === undefined ? '' : ` worker ${worker}`
  const start = new Date(Number(time)).toTimeString().slice(0, 8) + place
  if (isRequest(rest)) {
    if (!hasFailed(rest)) return
    const { method, path, status, ms, request } = rest
    return escapeInvisible(`${start} ${status} ${method} ${path} (${ms} ms, request ${request})`)
  }
  const values = Object.entries(rest).map(([name, value]) => `${name}=${formatLogValue(value)}`)
  const first = escapeInvisible(
    [start, LEVELS[Number(level)] ?? level, msg, ...values].filter(Boolean).join(' '),
  )
  return err === undefined ? first : `${first}\n${formatLogError(err)}`
}

const isRequest = (line: Line) => 'method' in line && 'path' in line && 'status' in line

/** 499: the client disconnected. */
const hasFailed = ({ status }: Line) => Number(status) >= 400 && status !== 499

const formatLogValue = (value: unknown) =>
  typeof value === 'string' ? value : JSON.stringify(value)

/** The error's stack, or its message, indented, and its causes. */
function formatLogError(error: unknown): string {
  if (typeof error !== 'object' || error === null) return `  ${escapeInvisible(String(error))}`
  const { stack, message, cause } = error as Line
  const lines = String(stack ?? message ?? JSON.stringify(error)).split('\n')
  const own = lines.map((line) => `  ${escapeInvisible(line)}`).join('\n')
  return cause === undefined ? own : `${own}\n  caused by\n${formatLogError(cause)}`
}

/** Control characters as escapes: a client's text must not steer the terminal. */
const escapeInvisible = (text: string) =>
  text.replace(
    /[\p{Cc}\p{Cf}]/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
