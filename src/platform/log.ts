import { type DestinationStream, type Logger, pino } from 'pino'
import type { Config } from './config.ts'
import { nameSources } from './name-sources.ts'
import { makeTerminalLog } from './terminal-log.ts'

export type { Logger }

/** Fields of errors to log. Not `detail`: in errors of Postgres it contains values of rows. */
const LOGGED_FIELDS = [
  'code',
  'severity',
  'constraint',
  'schema',
  'table',
  'column',
  'routine',
  'status',
]
const MAX_CAUSES = 4

/** Lines have the worker's number; a terminal gets readable ones. Never log bodies or secrets. */
export function createLogger(
  config: Pick<Config, 'logLevel'>,
  destination?: DestinationStream,
  worker?: number,
): Logger {
  return pino(
    {
      level: config.logLevel,
      base: worker === undefined ? null : { worker },
      serializers: { err: (error) => describeError(error, MAX_CAUSES) },
    },
    destination ?? openStandardOutput(),
  )
}

function openStandardOutput(): DestinationStream {
  if (process.stdout.isTTY) return makeTerminalLog((text) => void process.stdout.write(text))
  return pino.destination({ dest: 1, sync: false, minLength: 0 })
}

function describeError(error: unknown, causes: number): unknown {
  if (!(error instanceof Error)) return String(error)
  const fields = error as unknown as Record<string, unknown>
  const extra = LOGGED_FIELDS.filter((name) => fields[name] !== undefined).map((name) => [
    name,
    fields[name],
  ])
  const { name, message, stack, cause } = error
  return {
    type: name,
    message,
    stack: stack && nameSources(stack),
    ...Object.fromEntries(extra),
    ...(cause !== undefined && causes > 0 && { cause: describeError(cause, causes - 1) }),
  }
}
