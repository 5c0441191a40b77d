import { spawnSync } from 'node:child_process'

/**
 * Whether a program of the machine runs and ends well: for tests that need a package which not every machine
 * has.
 */
export const runs = (program: string, ...args: string[]): boolean =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0
