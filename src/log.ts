import { type Logger, pino } from 'pino'
import type { Config } from './config.ts'

export type { Logger }

/** JSON lines on standard output. No bodies and no secrets go in. */
export function createLogger(config: Pick<Config, 'logLevel'>): Logger {
  return pino(
    { level: config.logLevel, base: null },
    pino.destination({ dest: 1, sync: false, minLength: 0 }),
  )
}
