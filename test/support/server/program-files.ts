import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository. */
export const CLONE = fileURLToPath(new URL('../../../', import.meta.url))

const built = process.env.PROGRAM_HOME

/** The folder whose program tests start: the built one of build-setup.ts, else the clone. */
export const PROGRAM_HOME = built ?? CLONE
/** What a user starts. */
export const PROGRAM = join(PROGRAM_HOME, 'bin/pocketsms.js')
/** What PROGRAM runs in a Node with its flags. */
export const CLI = join(PROGRAM_HOME, built ? 'dist/cli.js' : 'src/main/cli.ts')
