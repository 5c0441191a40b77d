import { once } from 'node:events'
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

/**
 * Logs JSON lines to standard output, with the worker's number; a terminal gets readable lines instead. Never
 * log bodies or secrets.
 */
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
  return new LineOutput()
}

/** Standard output, written in the background. */
class LineOutput implements DestinationStream {
  readonly #output = pino.destination({ dest: 1, sync: false, minLength: 0 })
  #given = 0
  #written = 0
  /** The reader of the output is gone. pino then ignores all lines. */
  #isBroken = false

  constructor() {
    this.#output.on('write', (bytes) => {
      this.#written += bytes
    })
    this.#output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      this.#isBroken = true
    })
  }

  write(line: string): void {
    this.#given += Buffer.byteLength(line)
    this.#output.write(line)
  }

  async awaitWritten(signal: AbortSignal): Promise<void> {
    const given = this.#given
    while (this.#written < given && !this.#isBroken) await once(this.#output, 'write', { signal })
  }
}

const WRITE_MS = 10_000

/** Waits until all lines so far have left this process. Throws if they have not after ten seconds. */
export async function awaitWrittenLines(log: Logger): Promise<void> {
  const output: unknown = Reflect.get(log, pino.symbols.streamSym)
  if (output instanceof LineOutput) await output.awaitWritten(AbortSignal.timeout(WRITE_MS))
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
