import { writeFileSync } from 'node:fs'
import type { Reporter } from 'vitest/node'

/**
 * A reporter of Vitest: writes the errors that belong to no test, which the JSON report lacks, to the file
 * that UNHANDLED_ERRORS names. The file is empty when there were none.
 */
export default class UnhandledErrors implements Reporter {
  onTestRunEnd(_: unknown, errors: readonly { readonly message: string }[]): void {
    const file = process.env.UNHANDLED_ERRORS
    if (file) writeFileSync(file, errors.map(({ message }) => `${message}\n`).join(''))
  }
}
