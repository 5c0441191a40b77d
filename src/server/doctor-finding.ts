import type { Config } from '../config.ts'

/** How long a check waits for an answer. */
export const PATIENCE_MS = 5_000

/** What a check found. Only faults have `advice`: what to do. */
export interface Finding {
  readonly found: string
  readonly advice?: string
}
export type Check = (config: Config) => Promise<Finding>

/** The words of an error, of its cause if it has one. */
export const reasonOf = (error: unknown) => {
  const { cause, message } = error as { cause?: { message?: string }; message: string }
  return cause?.message || message
}
