import { join, resolve } from 'node:path'
import { makeProgramPath, type Programs } from './find-programs.ts'
import { IS_WINDOWS } from './is-windows.ts'
import { hasAnyFile, type ProcessIdentity } from './system-account.ts'

export const [LIBRARIES, LOGS] = ['postgres-lib', 'postgres-log']

export const PORT = 5432

export interface Site {
  readonly folder: string
  /** DATA_DIR/postgres: `folder` itself, or a symbolic link to it that an earlier version made. */
  readonly link: string
  readonly launch: ProcessIdentity
  readonly programs: Programs
  readonly logs: string
}

export const makeClusterLink = (dataDir: string): string => join(resolve(dataDir), 'postgres')

export const hasCluster = (dataDir: string): boolean => hasAnyFile(makeClusterLink(dataDir))

/** Arguments of `spawn` for a program of Postgres. Its environment lacks PGHOST and other such settings. */
export function makeSpawnArguments(
  { launch, programs }: Site,
  program: string,
  args: readonly string[],
  before: readonly string[] = [],
) {
  const [command, ...rest] = [
    ...launch.prefix,
    ...before,
    makeProgramPath(programs.bin, program),
    ...args,
  ]
  const { PATH = '', SystemRoot = '', TEMP = '' } = process.env
  const windows = IS_WINDOWS ? { SystemRoot, TEMP } : {}
  // without TZ, initdb searches half a second for the name of the local time zone
  const env = { PATH, ...windows, ...programs.env, TZ: 'UTC', LC_ALL: 'C' }
  return {
    command: command!,
    args: rest,
    options: { ...launch.account, env, cwd: '/', windowsHide: true },
  }
}
